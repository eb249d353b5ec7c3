// Icons of the tools, 24 by 24.
import { shape } from "../dom.js";

const PATHS = /** @type {Record<string, string>} */ ({
  brush: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  erase: "M9 19h11M4 15l9-10 7 6-7 8H8z",
  line: "M5 19L19 5",
  rectangle: "M4 6h16v12H4z",
  fill: "M5 12l7-7 7 7-7 7zM20 15c1.5 2 1.5 4 0 4s-1.5-2 0-4M8 3l4 4",
  hand: "M12 3v18M3 12h18M12 3l-3 3M12 3l3 3M12 21l-3-3M12 21l3-3M3 12l3-3M3 12l3 3M21 12l-3-3M21 12l-3 3",
  undo: "M9 5L4 10l5 5M4 10h10a6 6 0 010 12h-3",
  redo: "M15 5l5 5-5 5M20 10H10a6 6 0 000 12h3",
  turn: "M19 12a7 7 0 11-3-5.7M16 2v5h-5",
  mirror: "M12 3v18M9 7L3 18h6zM15 7l6 11h-6z",
  left: "M14 6l-6 6 6 6",
  right: "M10 6l6 6-6 6",
  up: "M6 14l6-6 6 6",
  down: "M6 10l6 6 6-6",
  higher: "M4 18l8-4 8 4M12 10V3M9 6l3-3 3 3",
  lower: "M4 6l8 4 8-4M12 14v7M9 18l3 3 3-3",
  in: "M11 4a7 7 0 100 14 7 7 0 000-14M16 16l5 5M8 11h6M11 8v6",
  out: "M11 4a7 7 0 100 14 7 7 0 000-14M16 16l5 5M8 11h6",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  centre: "M12 4v4M12 16v4M4 12h4M16 12h4M12 9a3 3 0 100 6 3 3 0 000-6",
  clear: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
});

/** @param {string} name */
export const icon = (name) => shape("svg", { viewBox: "0 0 24 24", width: 22, height: 22, "aria-hidden": "true", class: "icon" }, shape("path", { d: PATHS[name], fill: "none", stroke: "currentColor", "stroke-width": 1.8, "stroke-linecap": "round", "stroke-linejoin": "round" }));
