// What travels between the program and its pages, as types for the checker (tsc); there is nothing here to run.

/**
 * @typedef {{height: number, name: string, x: number, y: number, box: number[]}} Layer its height in the units of `rise`, its name (in the plane none),
 *   by what it is moved against the first layer, and its box: x, y, width, height
 *
 * @typedef {object} Atom
 * @property {string} name
 * @property {string} path
 * @property {number} x
 * @property {number} y
 * @property {number} layer
 * @property {boolean} optional
 * @property {boolean} main whether it is a place that a person sees, not a slot or a crossing
 * @property {string} [colour]
 *
 * @typedef {{height: number, drawing: string}} Part its height counted from the own cell of the orientation, and SVG elements, the own cell at
 *   (0, 0), coloured by `currentColor`
 *
 * @typedef {object} Orientation
 * @property {number} number
 * @property {string} words its marks, clockwise from the top
 * @property {Part[]} parts
 * @property {number[][]} atoms middles: x, y, height
 * @property {string} drawing the picture for the tray
 * @property {number[]} box of that picture: x, y, width, height
 * @property {number} turn the orientation to which a turn clockwise leads
 * @property {number} back
 * @property {number|null} flip
 * @property {number|null} mirror
 *
 * @typedef {object} BoardTile
 * @property {string} name
 * @property {string} words
 * @property {string} copies
 * @property {number} low
 * @property {number|null} high
 * @property {string[]} shades
 * @property {string} ink
 * @property {boolean} listed whether its placements are listed, each an orientation of its own
 * @property {Orientation[]} orientations
 *
 * @typedef {object} BoardPlacements
 * @property {number[]} tile
 * @property {number[]} orientation index into those of the tile
 * @property {number[]} x where the own cell of the orientation lies in the first layer
 * @property {number[]} y
 * @property {number[]|null} rise
 * @property {number[][]} atoms
 * @property {string[]} name
 * @property {string[]|null} drawings each by itself, where the form wraps around
 *
 * @typedef {object} Marks
 * @property {string[]} names
 * @property {number[]} mate the one name that a name may meet; -1: none
 * @property {number[][][]} sides the points of each side
 * @property {number[][][]} shown for each placement pairs of a side and a name
 *
 * @typedef {object} BoardData
 * @property {string} name
 * @property {string} title
 * @property {string} grid
 * @property {number} dimension
 * @property {number[]} frame
 * @property {number} unit about the side of an atom
 * @property {string} ground SVG elements
 * @property {Layer[]} layers
 * @property {Atom[]} atoms
 * @property {number[][]} neighbours
 * @property {number[]} fixed placements that the form fixes
 * @property {BoardTile[]} tiles
 * @property {BoardPlacements} placements
 * @property {Marks|null} marks
 * @property {{name: string, colour: string}[]} legend of marks and colours
 * @property {import("./bodies3d.js").Solid|null} solid
 * @property {boolean} [holds] whether it is a question if solutions come apart
 * @property {boolean} [turns] whether pieces can be turned by quarters
 * @property {{rows: string, count: number, width: number, bytes: number, complete: boolean}} [solutions] kept with the page
 *
 * @typedef {{atom: number|string, reason: string}} Dead an atom, by number or name, that nothing can cover
 *
 * @typedef {object} Standing what is known of a position
 * @property {number|null} [completions] ways to finish it; null: not known
 * @property {boolean} [exact] false: there may be more
 * @property {Dead[]} [dead]
 * @property {string} [words] instead of the board's own sentence
 * @property {string[]} [take_back] names of placements
 *
 * @typedef {object} Hint
 * @property {string} [placement] nothing where there is no way on
 * @property {boolean} [forced]
 * @property {string} [reason] why it is forced
 * @property {number} [shared] how many of the solutions have it
 * @property {number} [listed]
 * @property {boolean} [every]
 * @property {(number|string)[]} [atoms]
 * @property {string} [words] a sentence, where there is nothing to place
 *
 * @typedef {object} Ask who answers the questions of a board
 * @property {(position: string[], signal: AbortSignal, found: (part: Standing) => void) => Promise<Standing>} completions
 * @property {(position: string[], signal: AbortSignal) => Promise<Hint|null>} hint
 *
 * @typedef {object} BoardOptions
 * @property {Ask} [ask]
 * @property {string} [language] "en" or "de"
 * @property {string[]} [position]
 * @property {string[]} [given] placements of the position that stay where they are
 * @property {(names: string[]) => void} [onchange]
 *
 * @typedef {object} Board
 * @property {() => string[]} position names of placements, in the order placed
 * @property {(names: string[], quiet?: boolean) => void} set as a step that can be undone; quiet: as the beginning, of which nobody is told
 * @property {() => void} undo
 * @property {() => void} redo
 * @property {((names: string[]) => void)|null} onchange
 * @property {(dead: Dead[]) => void} setDead
 * @property {(step: number, hint?: Hint|null) => void} setHint 0: none, 1: where, 2: which piece, 3: exactly how
 * @property {() => Promise<void>} hint the next step of a hint
 * @property {() => boolean} finished
 * @property {() => void} destroy
 */
export {};
