import { htmlElement } from "./elements.js";
import { keepText, keptText } from "./packing.js";

// The time and the moves of a game, the summary at its end, and an optional clock.

const KEPT = "puzzlesat.clock";
const SECOND = 1000;

/**
 * @typedef {object} Moment
 * @property {HTMLElement} words the summary of a finished game
 * @property {HTMLButtonElement} clock the button that shows or hides the clock
 * @property {() => void} moved called when the player changed the position
 * @property {() => void} helped called when the position is not the player's own work
 * @property {() => void} again starts a new game
 * @property {(finished: boolean, total: number) => boolean} settled returns whether the player has finished the puzzle; `total`: the number of solutions, 0 if unknown
 * @property {() => void} end
 */

/** @param {(key: string, values?: Record<string, string|number>) => string} say @returns {Moment} */
export function makeMoment(say) {
  let begun = 0, ended = 0, moves = 0, own = true, clockOn = keptText(KEPT) === "on";
  const words = htmlElement("p", { class: "board-moment", "aria-live": "polite" });
  const label = htmlElement("span", { class: "label" });
  const clock = htmlElement("button", { type: "button", class: "tool clock", "aria-label": say("clock"), click: () => choose(!clockOn) },
    htmlElement("span", { class: "sign", "aria-hidden": "true" }, "◷"), label);
  const passed = () => (begun ? (ended || Date.now()) - begun : 0);
  const show = () => {
    label.textContent = clockOn ? written(passed()) : say("clock");
    clock.setAttribute("aria-pressed", String(clockOn));
  };
  const choose = (/** @type {boolean} */ on) => {
    clockOn = on;
    keepText(KEPT, on ? "on" : "off");
    show();
  };
  const again = () => {
    begun = ended = moves = 0;
    own = true;
    show();
  };
  const ticking = setInterval(() => clockOn && show(), SECOND);
  show();
  return {
    words,
    clock,
    again,
    moved: () => {
      begun ||= Date.now();
      moves += 1;
    },
    helped: () => {
      own = false;
    },
    settled: (finished, total) => {
      words.textContent = "";
      ended = finished && begun ? ended || Date.now() : 0;
      show();
      if (!finished || !own || !moves) return false;
      const which = total === 1 ? say("onlySolution") : total ? say("oneOf", { n: total }) : "";
      words.textContent = [say(moves === 1 ? "moves1" : "moves", { n: moves }), written(passed()), which].filter(Boolean).join(" · ");
      return true;
    },
    end: () => clearInterval(ticking),
  };
}

/** Format milliseconds as minutes and seconds. @param {number} milliseconds */
function written(milliseconds) {
  const seconds = Math.floor(milliseconds / SECOND);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
