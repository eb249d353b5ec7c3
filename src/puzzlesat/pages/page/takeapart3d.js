// The pieces of an assembly in space that comes apart: bodies that can be turned.
import { makeBodies } from "./bodies3d.js";

/** @param {HTMLElement} root @param {import("./bodies3d.js").Solid} solid @param {import("./bodies3d.js").Piece[]} pieces
 * @param {{canvas: string, still: string}} texts @returns {import("./takeapart.js").ApartStage} */
export function solidApartStage(root, solid, pieces, texts) {
  const stage = document.createElement("div"), canvas = document.createElement("canvas");
  stage.className = "stage";
  Object.assign(stage.style, { position: "relative", width: "100%", height: "var(--stage-height, 24rem)" });
  Object.assign(canvas.style, { position: "absolute", inset: "0", width: "100%", height: "100%", borderRadius: "4px" });
  stage.append(canvas);
  root.append(stage);
  const bodies = makeBodies(canvas, solid, { label: texts.canvas, bare: true });
  if (!bodies) {
    const note = document.createElement("p");
    note.className = "soft";
    note.textContent = texts.still;
    stage.replaceWith(note);
    return { show: () => {}, destroy: () => note.remove() };
  }
  let /** @type {import("./bodies3d.js").Piece[]} */ shown = [], before = "";
  return {
    show(numbers, poses) {
      if (numbers.join() !== before) shown = numbers.map((i) => pieces[i]);
      before = numbers.join();
      bodies.place(shown, poses);
    },
    destroy() { bodies.destroy(); stage.remove(); },
  };
}
