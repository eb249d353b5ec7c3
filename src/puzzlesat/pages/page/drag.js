import { svgElement } from "./elements.js";

// Dragging a piece: its transform alone follows the mouse, the pen or the finger.

const THRESHOLD = 6;
const LIFT = 64;
const TWIST = Math.PI / 6;

/** @typedef {"turn"|"back"|"flip"|"mirror"} Step */
/** @typedef {{tile: number, orientation: number, part: number, from: number}} Held */
/**
 * @typedef {object} Hand
 * @property {(x: number, y: number, held: Held) => void} over called when the middle of the piece is at this point of the window
 * @property {(x: number, y: number, held: Held) => void} drop
 * @property {() => void} cancel
 * @property {(held: Held) => void} lift called when a drag begins
 * @property {(event: PointerEvent) => void} tap called when the pointer is released without a drag
 * @property {(held: Held, step: Step) => void} turn changes `held`
 * @property {(held: Held) => {node: SVGElement, heart: [number, number], shade: string, scale: number}} look
 * @property {(held: Held) => [number, number]} middle the middle of the piece at its place, in window coordinates
 */

/** Follow a pointer that was pressed on a piece. @param {PointerEvent} event @param {Held} held @param {Hand} hand
 * @returns {{turn: (step: Step) => void, cancel: () => void}} */
export function startDrag(event, held, hand) {
  const start = { x: event.clientX, y: event.clientY }, at = { ...start }, away = { x: 0, y: 0 };
  const touch = event.pointerType === "touch";
  let /** @type {{x: number, y: number}|null} */ second = null;
  let secondId = -1, angle = 0, moving = false, frame = 0;
  const inner = svgElement("g");
  const float = svgElement("svg", { class: "board-float", width: 1, height: 1, "aria-hidden": "true", "text-anchor": "middle" }, inner);
  let /** @type {[number, number]} */ shift = [0, 0];

  const dress = () => {
    const { node, heart, shade, scale } = hand.look(held);
    inner.replaceChildren(node);
    inner.setAttribute("transform", `scale(${scale})`);
    float.style.color = shade;
    shift = [heart[0] * scale, heart[1] * scale];
  };
  const middle = () => ({ x: at.x + away.x, y: at.y + away.y - (touch ? LIFT : 0) });
  const paint = () => {
    frame = 0;
    const { x, y } = middle();
    float.style.transform = `translate3d(${x - shift[0]}px, ${y - shift[1]}px, 0)`;
    hand.over(x, y, held);
  };
  const soon = () => (frame ||= requestAnimationFrame(paint));
  const begin = () => {
    moving = true;
    hand.lift(held);
    dress();
    document.body.append(float);
  };
  const turn = (/** @type {Step} */ step) => {
    if (!moving) return;
    hand.turn(held, step);
    dress();
    soon();
  };
  const move = (/** @type {PointerEvent} */ e) => {
    if (e.pointerId === secondId && second) {
      second = { x: e.clientX, y: e.clientY };
      const now = Math.atan2(second.y - at.y, second.x - at.x);
      const twist = Math.atan2(Math.sin(now - angle), Math.cos(now - angle));
      if (Math.abs(twist) > TWIST) {
        angle = now;
        turn(twist > 0 ? "turn" : "back");
      }
      return;
    }
    if (e.pointerId !== event.pointerId) return;
    [at.x, at.y] = [e.clientX, e.clientY];
    if (!moving && Math.hypot(at.x - start.x, at.y - start.y) > THRESHOLD) {
      const [x, y] = hand.middle(held);
      [away.x, away.y] = touch ? [0, 0] : [x - start.x, y - start.y];
      begin();
    }
    if (moving) soon();
  };
  const down = (/** @type {PointerEvent} */ e) => {
    if (e.pointerId === event.pointerId || !moving) return;
    second = { x: e.clientX, y: e.clientY };
    secondId = e.pointerId;
    angle = Math.atan2(e.clientY - at.y, e.clientX - at.x);
    e.preventDefault();
    e.stopPropagation();
  };
  const ending = new AbortController(), { signal } = ending;
  const end = () => {
    cancelAnimationFrame(frame);
    float.remove();
    ending.abort();
  };
  const up = (/** @type {PointerEvent} */ e) => {
    if (e.pointerId === secondId) {
      [second, secondId] = [null, -1];
      return;
    }
    if (e.pointerId !== event.pointerId) return;
    end();
    if (!moving) return hand.tap(event);
    [at.x, at.y] = [e.clientX, e.clientY];
    const { x, y } = middle();
    hand.over(x, y, held);
    hand.drop(x, y, held);
  };
  const cancel = () => {
    end();
    hand.cancel();
  };
  const wheel = (/** @type {WheelEvent} */ e) => {
    if (!moving) return;
    e.preventDefault();
    turn(e.deltaY > 0 ? "turn" : "back");
  };
  window.addEventListener("pointermove", move, { signal });
  window.addEventListener("pointerup", up, { signal });
  window.addEventListener("pointercancel", (e) => e.pointerId === event.pointerId && cancel(), { signal });
  window.addEventListener("pointerdown", down, { capture: true, signal });
  window.addEventListener("wheel", wheel, { passive: false, signal });
  return { turn, cancel };
}
