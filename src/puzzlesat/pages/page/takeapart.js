// Step-by-step disassembly of an assembly, with playback. The caller's stage draws the pieces at the poses it receives.
import { drawingFrom, htmlElement, svgElement } from "./elements.js";

/** @typedef {{of?: number[], pieces: number[], by: number[], far: number | null, along: string, turn?: undefined}} Slide a translation of pieces by ``by``; ``of`` are
 * the pieces separated from this step on; ``far`` is the number of steps in the direction ``along``, or null for a complete removal */
/** @typedef {{of?: number[], pieces: number[], turn: {axis: number, about: number[], quarters: number}}} Turn a rotation of pieces, counterclockwise if
 * ``quarters`` > 0, seen from the positive end of the axis; ``about`` is a point of the axis, in coordinates of cell middles */
/** @typedef {Slide | Turn} Step */
/** @typedef {{level: string | null, least: boolean, steps: Step[], stuck: number[], undecided: string, colours: string[]}} Taking */
/** @typedef {{by: number[], turn: number[]}} Pose the rotation of a piece about the middle of the cell at the origin, as a quaternion with the real
 * part last, followed by a translation in steps of the lattice */
/** @typedef {{show: (pieces: number[], poses: Pose[]) => void, destroy: () => void}} ApartStage draws pieces at their poses */
/** @typedef {typeof APART_TEXTS} ApartTexts */

export const APART_TEXTS = {
  level: (/** @type {string} */ level) => `Level ${level}`,
  notLeast: "not known to be the least",
  held: (/** @type {string | null} */ names) => (names === null ? "It does not come apart." : `The rest, ${names}, does not come apart.`),
  undecided: "Time ran out before puzzlesat knew whether it comes apart.",
  first: "Back to the start",
  back: "Step back",
  play: "Play",
  pause: "Pause",
  forward: "Step forward",
  steps: "Steps",
  together: "together",
  step: (/** @type {Step} */ step, /** @type {string[]} */ names) => `${step.pieces.map((i) => names[i]).join(", ")}: ${step.turn ? turnWords(step.turn) : `${step.far === null ? "away" : step.far} along ${step.along}`}`,
};
/** The names of pieces, with a number after the name if there are several copies: L 1, L 2. @param {string[]} names */
export const namesOfPieces = (names) => names.map((name, i) => (names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} ${names.slice(0, i + 1).filter((other) => other === name).length}`));

const APART_TIMES = { move: 650, rest: 300, still: 1100, longest: 80 }; // Milliseconds: duration of a step, pause after it, pause at a step without motion, longest time between frames.

/** The position of an axis, such as "x = 1" and "y = 2.5". @param {Turn["turn"]} turn @param {(x: number) => string} [number] formats a coordinate */
export const axisWords = ({ axis, about }, number = String) => about.map((x, c) => `${"xyz"[c]}\u00a0=\u00a0${number(x)}`).filter((_, c) => c !== axis);

/** @param {Turn["turn"]} turn */
const turnWords = (turn) => `turn ${90 * Math.abs(turn.quarters)}° ${turn.quarters > 0 ? "counterclockwise" : "clockwise"}, seen from +${"xyz"[turn.axis]}, about ${axisWords(turn).join(", ")}`;

/** The pose of a piece after a fraction of a step. @param {Pose} pose @param {Step} step @param {number} part from 0 to 1 @returns {Pose} */
function apartPose(pose, step, part) {
  if (!step.turn) return { turn: pose.turn, by: pose.by.map((x, c) => x + part * (step.by[c] ?? 0)) };
  const { axis, about, quarters } = step.turn, [one, two] = [(axis + 1) % 3, (axis + 2) % 3], half = (part * quarters * Math.PI) / 4;
  const by = [...pose.by], turn = [...pose.turn];
  const spin = (/** @type {number[]} */ v, /** @type {number} */ i, /** @type {number} */ j, /** @type {number} */ angle) =>
    ([v[i], v[j]] = [Math.cos(angle) * v[i] - Math.sin(angle) * v[j], Math.sin(angle) * v[i] + Math.cos(angle) * v[j]]);
  for (const c of [one, two]) by[c] -= about[c];
  spin(by, one, two, 2 * half);
  for (const c of [one, two]) by[c] += about[c];
  spin(turn, one, two, half); // multiply by the quaternion of a rotation about an axis of the lattice
  spin(turn, 3, axis, half);
  return { by, turn };
}

/** The poses before and during each step. Removed pieces return to their places for their own disassembly. @param {Step[]} steps @param {number} count */
function apartFrames(steps, count) {
  const all = [...Array(count).keys()], /** @type {Pose[]} */ now = all.map(() => ({ by: [0, 0, 0], turn: [0, 0, 0, 1] }));
  let of = all;
  return steps.map((step) => {
    const shown = (of = step.of ?? of), before = shown.map((i) => now[i]);
    const at = (/** @type {number} */ part) => before.map((pose, k) => (step.pieces.includes(shown[k]) ? apartPose(pose, step, part) : pose));
    if (step.turn || step.far !== null) at(1).forEach((pose, k) => { now[shown[k]] = pose; });
    return { shown, at, lasts: step.turn ? Math.abs(step.turn.quarters) : 1 };
  });
}

/** Show the disassembly of an assembly below ``root``.
 * @param {HTMLElement} root @param {Taking} taking @param {string[]} names the names of its pieces @param {ApartStage} stage @param {ApartTexts} [texts] */
export function makeTakeApart(root, taking, names, stage, texts = APART_TEXTS) {
  const { steps } = taking, frames = apartFrames(steps, names.length), still = matchMedia("(prefers-reduced-motion: reduce)");
  const called = (/** @type {number[]} */ some) => some.map((i) => names[i]).join(", ");
  const end = steps.length;
  let now = 0, goal = 0, playing = false, request = 0, then = 0, until = 0;

  const button = (/** @type {string} */ sign, /** @type {string} */ words, /** @type {() => void} */ onclick) =>
    htmlElement("button", { type: "button", "aria-label": words, title: words, onclick }, sign);
  const first = button("«", texts.first, () => { pause(); go(0, true); }), back = button("‹", texts.back, () => step(-1));
  const play = button("▶", texts.play, () => (playing ? pause() : start())), forward = button("›", texts.forward, () => step(1));
  const slider = htmlElement("input", { type: "range", min: 0, max: end, value: 0, "aria-label": texts.steps });
  slider.addEventListener("input", () => {
    const to = Number(slider.value); // Pausing resets the slider to the current step.
    pause();
    go(to, true);
  });
  slider.addEventListener("keydown", (event) => event.stopPropagation()); // The slider uses the arrow keys.
  const status = htmlElement("p", { class: "apart-said", "aria-live": "polite" });
  const rows = steps.map((slide, k) => {
    return htmlElement("button", { type: "button", onclick: () => { pause(); go(k + 1, true); } }, texts.step(slide, names));
  });
  if (end) {
    const controls = htmlElement("div", { class: "apart-controls", role: "group", "aria-label": texts.steps }, first, back, play, forward, slider);
    root.append(controls, status, htmlElement("ol", { class: "apart-steps" }, ...rows.map((row) => htmlElement("li", {}, row))));
  } else {
    const stuckWords = texts.held(taking.stuck.length < names.length ? called(taking.stuck) : null);
    root.append(htmlElement("p", { class: "apart-said" }, taking.undecided ? texts.undecided : stuckWords));
  }

  function draw() {
    const k = Math.ceil(now);
    if (!k) stage.show([...names.keys()], names.map(() => ({ by: [0, 0, 0], turn: [0, 0, 0, 1] })));
    else {
      const { shown, at } = frames[k - 1], part = now - k + 1;
      stage.show(shown, at(part * part * (3 - 2 * part)));
    }
    const whole = Math.round(now);
    slider.value = String(whole);
    const words = whole ? `${whole}. ${rows[whole - 1].textContent}` : `${taking.level === null ? "" : `${texts.level(taking.level)}${taking.least ? "" : ` (${texts.notLeast})`}: `}${texts.together}`;
    slider.setAttribute("aria-valuetext", words);
    rows.forEach((row, i) => { if (i === whole - 1) row.setAttribute("aria-current", "step"); else row.removeAttribute("aria-current"); });
    if (status.textContent !== words) {
      status.textContent = words;
      scrollTo(whole);
    }
    back.disabled = first.disabled = now === 0 && !playing;
    forward.disabled = now === end;
    play.textContent = playing ? "❚❚" : "▶";
    play.setAttribute("aria-label", playing ? texts.pause : texts.play);
    play.title = playing ? texts.pause : texts.play;
  }

  /** Scroll the list of steps, not the page, to a step. @param {number} whole */
  function scrollTo(whole) {
    const row = rows[Math.max(whole - 1, 0)], list = row?.closest("ol");
    if (!row || !list) return;
    const [seen, at] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
    list.scrollTop += Math.min(at.top - seen.top, 0) || Math.max(at.bottom - seen.bottom, 0);
  }

  /** Go to a step, animated or at once. @param {number} to @param {boolean} [atOnce] */
  function go(to, atOnce = false) {
    goal = Math.max(0, Math.min(end, to));
    if (atOnce || (still.matches && !playing)) { now = goal; draw(); return; }
    then = until = 0;
    if (!request) request = requestAnimationFrame(tick);
  }

  /** Go one step forward or back from the current step or from the target of the animation. @param {number} by */
  function step(by) {
    const from = playing ? now : goal;
    playing = false;
    go(by > 0 ? Math.floor(from) + 1 : Math.ceil(from) - 1);
  }

  function start() {
    if (now === end) now = 0;
    playing = true;
    go(end);
    draw();
  }

  function pause() {
    playing = false;
    goal = now;
    draw();
  }

  function tick(/** @type {number} */ time) {
    request = 0;
    const passed = then ? Math.min(time - then, APART_TIMES.longest) : 0, way = Math.sign(goal - now);
    then = time;
    if (!way) { playing = false; draw(); return; }
    if (time >= until) {
      const next = way > 0 ? Math.floor(now) + 1 : Math.ceil(now) - 1, { lasts } = frames[Math.max(next, next - way) - 1];
      const to = now + (way * passed) / (APART_TIMES.move * lasts);
      if (still.matches || (way > 0 ? to >= next : to <= next)) {
        now = next;
        until = time + (still.matches ? APART_TIMES.still : APART_TIMES.rest);
      } else now = to;
      draw();
    }
    request = requestAnimationFrame(tick);
  }

  draw();
  return {
    /** The current step; fractional while a piece moves. */
    at: () => now,
    go,
    destroy() {
      cancelAnimationFrame(request);
      stage.destroy();
      root.replaceChildren();
    },
  };
}

/** A stage that draws the pieces of an assembly in the plane. @param {HTMLElement} root
 * @param {{drawing: string, colour: string, label?: {x: number, y: number, size: number, words: string, ink: string}}[]} pieces SVG elements with a name
 * @param {number[][]} basis the steps of the lattice, to the right and down @param {number[]} middle the middle of the cell at the origin
 * @param {number[]} frame x, y, width and height of the form @returns {ApartStage} */
export function flatApartStage(root, pieces, basis, middle, frame) {
  const [x, y, width, height] = frame, room = 0.5 * Math.max(width, height);
  const groups = pieces.map(({ drawing, colour, label }) => svgElement("g", { color: colour }, ...drawingFrom(drawing).childNodes,
    label && label.size > 4 && svgElement("text", { x: label.x, y: label.y + 0.36 * label.size, "font-size": label.size, fill: label.ink }, label.words)));
  const svg = svgElement("svg", { viewBox: [x - room, y - room, width + 2 * room, height + 2 * room].join(" "), class: "apart-flat", "text-anchor": "middle", "aria-hidden": "true" }, ...groups);
  root.append(svg);
  return {
    show(shown, poses) {
      groups.forEach((group, i) => { group.style.display = shown.includes(i) ? "" : "none"; });
      shown.forEach((i, k) => {
        const { by, turn } = poses[k], angle = (-360 / Math.PI) * Math.atan2(turn[2], turn[3]), { label } = pieces[i]; // The y axis of SVG points down.
        const moved = `translate(${[0, 1].map((c) => basis.reduce((sum, step, j) => sum + step[c] * by[j], 0)).join(" ")})`;
        groups[i].setAttribute("transform", angle ? `${moved} rotate(${angle} ${middle.join(" ")})` : moved);
        if (label) groups[i].querySelector("text")?.setAttribute("transform", `rotate(${-angle} ${label.x} ${label.y})`); // Names stay upright.
      });
    },
    destroy: () => svg.remove(),
  };
}
