// English texts of the drawing view without the program. drawn-de.js has the same keys.
export const texts = {
  drawn_key: "This page cannot lay a puzzle with “{key}”. The program can: start puzzlesat studio and open the link of this page there.",
  drawn_grid: "This page does not have the grid or the set of pieces “{name}”.",
  drawn_picture: "This page cannot read the picture on the grid {grid}.",
  drawn_rows: "The layers of a picture have different numbers of rows. Write “.” for each empty place.",
  drawn_blanks: "A row of a picture consists of blanks. Write “.” for each empty place, and nothing at all between layers.",
  drawn_large: "This is too large for a browser. The program takes larger ones.",
  drawn_wrong: "This page cannot read “{key}” of this puzzle.",
  drawn_layer: "layer {n}",
  drawn_first: "Paint at least one cell first.",
  drawn_no_tiles: "This puzzle has no pieces yet. Choose some under Pieces.",
  drawn_name_twice: "Two pieces are named {name}.",
  drawn_proof: "The engine in this page looked at every possibility. For a proof, save the file and type: puzzlesat prove FILE",
  drawn_program: "This page counts with one engine. For certificates, other solvers, marks on pieces, seams, and export to other programs, save the file and type:",
};
