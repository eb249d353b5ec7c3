// The disassembly section of a report: the reader chooses a solution and steps through its disassembly.
import { Bodies } from "./bodies.js";
import { htmlElement } from "./elements.js";
import { APART_TEXTS, flatApartStage, makeTakeApart, namesOfPieces } from "./takeapart.js";

/** The disassembly section of the page, if the page has one. */
const takenApart = (() => {
  const dataNode = document.getElementById("taken");
  if (!dataNode) return { has: () => false, choose: () => {} };
  const taken = JSON.parse(dataNode.textContent), { tiles, placements, solid, frame } = JSON.parse(document.getElementById("data").textContent);
  const which = document.getElementById("apart-which"), root = document.getElementById("apart-steps"), place = document.getElementById("apart-stage");
  const numbers = new Map(placements.map(({ name }, p) => [name, p])), options = new Map();
  let shown = null;

  for (const { level, assemblies } of taken.levels) {
    const label = level === null ? "does not come apart" : level === "" ? "not decided" : `level ${level}`;
    for (const each of assemblies) options.set(each.number, each);
    which.append(htmlElement("optgroup", { label }, ...assemblies.map(({ number }) => htmlElement("option", { value: number }, number))));
  }

  const labelAt = ([x, y, radius], ink, name) => ({ x, y, size: Math.min((1.9 * radius) / Math.hypot(Bodies.breadth(name), 0.75), 16), words: name, ink });

  function show() {
    const each = options.get(Number(which.value)), here = each.placements.map((name) => placements[numbers.get(name)]), { colours } = each.taking, names = namesOfPieces(here.map(({ tile }) => tiles[tile].name));
    shown?.destroy();
    const stage = solid
      ? solidApartStage(place, solid, here.map((placement, i) => ({ id: i, atoms: placement.atoms, colour: colours[i], name: names[i] })),
        { canvas: "The pieces in space. Arrow keys turn them, + and - zoom, 0 resets the view.", still: "This browser has no WebGL2, so you cannot turn the pieces in space." })
      : flatApartStage(place, here.map(({ drawing, labels, tile }, i) => ({ drawing, colour: colours[i], label: labelAt(labels[0], tiles[tile].ink, names[i]) })), taken.basis, taken.middle, frame);
    shown = makeTakeApart(root, each.taking, names, stage, APART_TEXTS);
  }

  which.addEventListener("change", show);
  if (options.size) show();
  return {
    /** @param {number} number the number of a distinct solution, counted from 1 */
    has: (number) => options.has(number),
    choose(/** @type {number} */ number) {
      which.value = String(number);
      show();
      const part = document.getElementById("apart");
      part.open = true;
      part.scrollIntoView();
      which.focus({ preventScroll: true });
    },
  };
})();
