// Types of the data exchanged between the program and its pages, for the type checker (tsc). This module has no code.

/**
 * @typedef {{height: number, name: string, x: number, y: number, box: number[]}} Layer a layer: its height in units of `rise`, its name (empty in the
 *   plane), its offset from the first layer, and its box: x, y, width, height
 *
 * @typedef {object} Atom
 * @property {string} name
 * @property {string} path
 * @property {number} x
 * @property {number} y
 * @property {number} layer
 * @property {boolean} optional
 * @property {boolean} main whether players see it as a place (not a slot or a crossing)
 * @property {string} [colour]
 *
 * @typedef {{height: number, drawing: string}} Part a section: its height relative to the own cell of the orientation, and SVG elements with the own cell
 *   at (0, 0), coloured by `currentColor`
 *
 * @typedef {object} Orientation
 * @property {number} number
 * @property {string} words its marks, clockwise from the top
 * @property {Part[]} parts
 * @property {number[][]} atoms middles: x, y, height
 * @property {string} drawing the picture for the tray
 * @property {number[]} box of the drawing: x, y, width, height
 * @property {number} turn the orientation after a clockwise turn
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
 * @property {boolean} listed whether the file lists its placements; each is then an orientation of its own
 * @property {Orientation[]} orientations
 *
 * @typedef {object} BoardPlacements
 * @property {number[]} tile
 * @property {number[]} orientation index into the orientations of the tile
 * @property {number[]} x the position of the own cell of the orientation, in the first layer
 * @property {number[]} y
 * @property {number[]|null} rise
 * @property {number[][]} atoms
 * @property {string[]} name
 * @property {string[]|null} drawings separate drawings, if the form wraps around
 *
 * @typedef {object} Marks
 * @property {string[]} names
 * @property {number[]} mate the only name that each name may meet; -1: none
 * @property {number[][][]} sides the points of each side
 * @property {number[][][]} shown for each placement, pairs of a side and a name
 *
 * @typedef {object} BoardData
 * @property {string} name
 * @property {string} title
 * @property {string} grid
 * @property {number} dimension
 * @property {number[]} frame
 * @property {number} unit approximate side length of an atom
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
 * @property {boolean} [holds] whether the puzzle asks if solutions come apart
 * @property {boolean} [turns] whether pieces can be turned by quarters
 * @property {{rows: string, count: number, width: number, bytes: number, complete: boolean}} [solutions] the solutions embedded in the page
 *
 * @typedef {{atom: number|string, reason: string}} Dead an atom, by number or name, that nothing can cover
 *
 * @typedef {object} Standing the known facts about a position
 * @property {number|null} [completions] number of ways to finish it; null: unknown
 * @property {boolean} [exact] false: there may be more
 * @property {Dead[]} [dead]
 * @property {string} [words] replaces the board's own sentence
 * @property {string[]} [take_back] names of placements to take back
 *
 * @typedef {object} Hint
 * @property {string} [placement] absent if the position cannot be finished
 * @property {boolean} [forced]
 * @property {string} [reason] why it is forced
 * @property {number} [shared] number of listed solutions that contain it
 * @property {number} [listed]
 * @property {boolean} [every]
 * @property {(number|string)[]} [atoms]
 * @property {string} [words] a sentence, if there is no placement
 *
 * @typedef {object} Ask the source of counts and hints for a board
 * @property {(position: string[], signal: AbortSignal, found: (part: Standing) => void) => Promise<Standing>} completions
 * @property {(position: string[], signal: AbortSignal) => Promise<Hint|null>} hint
 *
 * @typedef {object} BoardOptions
 * @property {Ask} [ask]
 * @property {string} [language] "en" or "de"
 * @property {string[]} [position]
 * @property {string[]} [given] placements of the position that the player cannot move
 * @property {(names: string[]) => void} [onchange]
 *
 * @typedef {object} Board
 * @property {() => string[]} position names of placements, in the order in which they were laid
 * @property {(names: string[], quiet?: boolean) => void} set records a step that can be undone; quiet: sets the start without calling `onchange`
 * @property {() => void} undo
 * @property {() => void} redo
 * @property {((names: string[]) => void)|null} onchange
 * @property {(dead: Dead[]) => void} setDead
 * @property {(step: number, hint?: Hint|null) => void} setHint 0: none, 1: where, 2: which piece, 3: exactly how
 * @property {() => Promise<void>} hint shows the next step of a hint
 * @property {() => boolean} finished
 * @property {() => void} destroy
 */
export {};
