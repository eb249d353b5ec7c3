import { boardSpeech, markSpeech } from "./boardwords.js";
import { startDrag } from "./drag.js";
import { htmlElement } from "./elements.js";
import { inDirection, isOfCards, makeLookup, mismatches, nearestPlaces, shadesOf } from "./lookup.js";
import { makeMoment } from "./moment.js";
import { makeTable } from "./table.js";
import { makeTray } from "./tray.js";

// A playable board, for mouse, pen, touch and keyboard. Its only source of counts and hints is `options.ask`.

/** @import { BoardData, BoardOptions, Board, Standing, Hint, Dead } from "./types.js" */
/** @import { Held, Hand, Step } from "./drag.js" */

const REACH = 0.9;
const /** @type {Record<string, [number, number]>} */ ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const MAX_NAMED = 3;
const BROAD = 1.9; // Aspect ratio (width / height) above which the tray lies below the form.
const MANY = 14; // On a narrow screen, a tray with more pieces than this scrolls.
const WAIT = 300; // Milliseconds before a busy indicator appears.
const GAP = 8; // Pixels between a hint and the places it refers to.

let /** @type {HTMLElement|null} the board that receives key events, if the page has several */ boardInUse = null;

/** Build a board inside an element and replace its content. @param {HTMLElement} root @param {BoardData} board @param {BoardOptions} [options]
 * @returns {Board} */
export function makeBoard(root, board, options = {}) {
  const { tiles, placements, atoms } = board;
  const say = boardSpeech(options.language ?? "en"), marked = markSpeech(options.language ?? "en");
  const lookup = makeLookup(board);
  const table = makeTable(board, lookup, say);
  const cards = isOfCards(board);
  const solid = board.dimension === 3;

  const called = (/** @type {number} */ tile, /** @type {number} */ orientation = 0) => {
    const { name, orientations } = tiles[tile];
    return orientations[orientation].words ? say("card", { words: marked(orientations[orientation].words) }) : say("piece", { name });
  };
  const calledAt = (/** @type {number} */ p) => called(placements.tile[p], placements.orientation[p]);
  const placeOf = (/** @type {number} */ p) => placements.name[p].slice(placements.name[p].lastIndexOf("@") + 1);
  const moment = makeMoment(say);
  const tray = makeTray(board, say, (tile) => called(tile, state.turned[tile]));

  const immovable = new Set([...board.fixed, ...(options.given ?? []).map(lookup.number).filter((p) => p >= 0)]);
  const state = {
    /** @type {number[]} the placements on the board, without those that the form fixes */
    placed: [],
    /** @type {number[][]} */
    history: [[]],
    now: 0,
    turned: tiles.map(() => 0),
    /** the tile chosen in the tray, or -1 */
    tile: -1,
    /** the placement chosen on the board, or -1 */
    piece: -1,
    /** @type {{atom: number, p: number}|null} the place tapped last, and the placement laid there */
    tapped: null,
    /** @type {{tile: number, orientation: number, p: number, from: number}|null} the piece carried with the keyboard */
    carried: null,
    /** @type {Held|null} */
    held: null,
    cursor: -1,
    /** @type {Hint|null} */
    hint: null,
    step: 0,
    /** the number of solutions; 0 if unknown */
    total: 0,
  };
  const owner = new Int32Array(atoms.length).fill(-1);
  let /** @type {{turn: (step: Step) => void, cancel: () => void}|null} */ drag = null;
  let /** @type {AbortController|null} */ asking = null;
  let /** @type {number[]|null} the position for which a hint is being computed */ seeking = null;

  // ---- occupancy ----
  const lying = () => [...board.fixed, ...state.placed];
  const left = (/** @type {number} */ tile) => {
    const { high } = tiles[tile];
    return high === null ? Infinity : high - lying().filter((p) => placements.tile[p] === tile).length;
  };
  /** @param {number} p @param {number} [without] */
  const free = (p, without = -1) => placements.atoms[p].every((a) => owner[a] < 0 || owner[a] === without);
  const occupy = () => {
    owner.fill(-1);
    for (const p of lying()) for (const a of placements.atoms[p]) owner[a] = p;
  };

  // ---- rendering ----
  const ways = htmlElement("p", { class: "board-ways", "aria-live": "polite" });
  const wrongSides = htmlElement("p"), deadPlaces = htmlElement("div"), wayBack = htmlElement("p");
  const trouble = htmlElement("div", { class: "board-trouble", "aria-live": "polite" }, wrongSides, deadPlaces, wayBack);
  const status = htmlElement("p", { class: "board-said", role: "status" });
  /** @param {string} text */
  const tell = (text) => void (status.textContent = text ? text[0].toUpperCase() + text.slice(1) : "");
  /** Tell the player that a piece belongs to the puzzle. @param {number} p */
  const tellKept = (p) => tell(say("kept", { piece: calledAt(p) }));
  const show = () => {
    const shades = shadesOf(board, lying());
    const lifted = (/** @type {number} */ p) => p === state.held?.from || p === state.carried?.from;
    table.show(lying().map((p) => ({ p, shade: shades.get(p) ?? "", kept: immovable.has(p), chosen: p === state.piece, lifted: lifted(p) })));
    table.wrong(board.marks ? mismatches(board, lying()).map(({ side }) => board.marks?.sides[side] ?? []) : []);
    const glowing = state.hint?.placement && state.step >= 2 ? placements.tile[lookup.number(state.hint.placement)] : -1;
    tray.show(state.turned, tiles.map((_, i) => left(i)), state.tile, glowing);
    buttons.undo.disabled = state.now === 0;
    buttons.redo.disabled = state.now === state.history.length - 1;
    buttons.clear.disabled = state.placed.every((p) => immovable.has(p));
    const holding = state.tile >= 0 || state.piece >= 0 || state.carried !== null || state.held !== null;
    for (const name of /** @type {Step[]} */ (["turn", "back", "flip", "mirror"])) buttons[name].disabled = !holding;
    buttons.takeBack.disabled = state.piece < 0 || immovable.has(state.piece);
  };
  /** Place the hint next to the places it refers to: below them, above them, or below the board. */
  const placeHint = () => {
    root.classList.toggle("hinting", state.step > 0);
    if (state.step === 0) return status.removeAttribute("style");
    const around = stage.getBoundingClientRect(), form = surface.getBoundingClientRect(), target = table.glowing(), { width, height } = status.getBoundingClientRect();
    const below = target.bottom + GAP, above = target.top - GAP - height;
    const top = below + height <= form.bottom + GAP ? below : above >= form.top - GAP ? above : form.bottom + GAP / 2;
    const left = Math.max(0, Math.min((target.left + target.right - width) / 2 - around.left, around.width - width));
    status.style.top = `${top - around.top}px`;
    status.style.left = `${left}px`;
  };

  // ---- history ----
  const change = (/** @type {number[]} */ placed, /** @type {string} */ sentence) => {
    state.history = [...state.history.slice(0, state.now + 1), placed];
    state.now += 1;
    moment.moved();
    settle(placed, sentence);
  };
  /** @param {number[]} placed @param {string} sentence @param {boolean} [quiet] */
  const settle = (placed, sentence, quiet = false) => {
    state.placed = placed;
    if (!placed.includes(state.piece)) state.piece = -1;
    if (state.tapped && !placed.includes(state.tapped.p)) state.tapped = null;
    occupy();
    setHint(0, null);
    setDead([]);
    const wrong = mismatches(board, lying()).length;
    const finished = isFinished();
    root.classList.toggle("finished", finished);
    root.classList.toggle("joy", moment.settled(finished, state.total));
    tell(finished ? say(cards ? "doneCards" : "doneMany") : sentence);
    wrongSides.textContent = wrong === 0 ? "" : wrong === 1 ? say("mismatch1") : say("mismatch", { n: wrong });
    wayBack.textContent = "";
    show();
    if (!quiet) {
      const names = position();
      options.onchange?.(names);
      made.onchange?.(names);
    }
    inquire();
  };
  const isFinished = () => {
    const covered = atoms.every((atom, a) => atom.optional || owner[a] >= 0);
    const used = lying().map((p) => placements.tile[p]);
    const enough = tiles.every(({ low }, i) => !low || used.filter((tile) => tile === i).length >= low);
    return covered && enough && mismatches(board, lying()).length === 0;
  };
  const position = () => state.placed.map((p) => placements.name[p]);
  /** @param {number} p @param {number} from the placement that it replaces, or -1 @param {string} [sentence] */
  const lay = (p, from, sentence) => {
    state.turned[placements.tile[p]] = placements.orientation[p];
    const text = sentence ?? say("laid", { piece: calledAt(p), place: placeOf(p) });
    if (p === from) {
      show();
      tell(text);
    } else if (from >= 0) change(state.placed.map((q) => (q === from ? p : q)), text);
    else change([...state.placed, p], text);
  };
  const takeBack = (/** @type {number} */ p) => {
    if (immovable.has(p)) return tellKept(p), show();
    state.turned[placements.tile[p]] = placements.orientation[p];
    change(state.placed.filter((q) => q !== p), say("back_", { piece: calledAt(p) }));
  };
  /** Exchange two cards; a card from the tray sends the other card to the tray. @param {number} p @param {number} from */
  const swap = (p, from) => {
    const [q] = inTheWay(p, from);
    const here = from < 0 ? -1 : placements.atoms[from][0];
    const there = from < 0 ? -1 : lookup.lying(placements.tile[q], placements.orientation[q]).find((r) => placements.atoms[r][0] === here) ?? -1;
    const placed = state.placed.flatMap((r) => (r === from ? [p] : r === q ? (there < 0 ? [] : [there]) : [r]));
    const sentence = there < 0 ? say("back_", { piece: calledAt(q) }) : say("swapped", { piece: calledAt(p), other: calledAt(q) });
    change(from < 0 ? [...placed, p] : placed, sentence);
  };
  const travel = (/** @type {number} */ by) => {
    const now = state.now + by;
    if (now < 0 || now >= state.history.length) return;
    state.now = now;
    settle(state.history[now], say(by < 0 ? "undone" : "redone"));
  };

  // ---- turning ----
  /** @param {number} tile @param {number} orientation @param {Step} step */
  const stepped = (tile, orientation, step) => tiles[tile].orientations[orientation][step] ?? orientation;
  /** Turn a piece in place; skip orientations that do not fit. @param {number} p @param {Step} step */
  const turnThere = (p, step) => {
    if (immovable.has(p)) return tellKept(p);
    const tile = placements.tile[p];
    let orientation = placements.orientation[p];
    for (let tries = 0; tries < tiles[tile].orientations.length; tries += 1) {
      orientation = stepped(tile, orientation, step);
      const found = nearestBy(lookup.lying(tile, orientation), (q) => (free(q, p) && q !== p ? lookup.away(q, p) : Infinity), 1.7 * board.unit);
      if (found >= 0) {
        if (state.piece === p) state.piece = found;
        if (state.tapped?.p === p) state.tapped.p = found;
        return lay(found, p);
      }
      if (step === "flip" || step === "mirror") break;
    }
    tell(say("noRoom", { piece: calledAt(p) }));
  };
  const turn = (/** @type {Step} */ step) => {
    if (drag && state.held) drag.turn(step);
    else if (state.carried) carryTurned(step);
    else if (state.piece >= 0) turnThere(state.piece, step);
    else if (state.tapped && placements.tile[state.tapped.p] === state.tile) turnThere(state.tapped.p, step);
    else if (state.tile >= 0) {
      state.turned[state.tile] = stepped(state.tile, state.turned[state.tile], step);
      show();
    }
  };

  // ---- choosing pieces and places ----
  /** The placements of a tile over a place in one orientation; for a tile with listed placements, in every orientation. @param {number} atom @param {number} tile @param {number} orientation */
  const over = (atom, tile, orientation) =>
    lookup.covering(atom).filter((p) => placements.tile[p] === tile && (tiles[tile].listed || placements.orientation[p] === orientation));
  const noWay = (/** @type {number} */ atom, /** @type {number} */ tile, /** @type {number} */ orientation) =>
    tell(say(tiles[tile].listed ? "noPlace" : "noWay", { piece: called(tile, orientation), place: atoms[atom].name }));
  const choose = (/** @type {number} */ tile) => {
    state.tile = state.tile === tile ? -1 : tile;
    state.piece = -1;
    state.tapped = null;
    if (state.tile >= 0) tell(left(tile) > 0 ? say("chosen", { piece: called(tile, state.turned[tile]) }) : say("gone", { piece: called(tile) }));
    show();
  };
  /** Lay the chosen tile over a place; on a repeated tap, lay it in the next way. @param {number} atom */
  const tapPlace = (atom) => {
    const tile = state.tile;
    const again = state.tapped && placements.tile[state.tapped.p] === tile ? state.tapped.p : -1;
    // If no copy of the tile is left, the copy laid last moves.
    const last = state.placed.filter((p) => placements.tile[p] === tile && !immovable.has(p)).at(-1) ?? -1;
    const from = again >= 0 && owner[atom] === again ? again : left(tile) > 0 ? -1 : last;
    if (from < 0 && left(tile) <= 0) return tell(say("gone", { piece: called(tile) }));
    const fit = over(atom, tile, state.turned[tile]).filter((p) => free(p, from));
    if (!fit.length) return noWay(atom, tile, state.turned[tile]);
    const p = fit[(fit.indexOf(from) + 1) % fit.length];
    lay(p, from);
    state.tapped = { atom, p };
  };
  const choosePiece = (/** @type {number} */ p) => {
    state.tile = -1;
    state.tapped = null;
    state.piece = state.piece === p ? -1 : p;
    tell(say("at", { piece: calledAt(p), place: placeOf(p) }));
    show();
  };
  /** @param {number} p of the board @param {number} atom */
  const tapPiece = (p, atom) => {
    if (state.tile >= 0 && state.tapped?.p === p && atom >= 0) tapPlace(atom);
    else if (cards && !immovable.has(p)) turnThere(p, "turn");
    else choosePiece(p);
  };

  // ---- dragging ----
  const /** @type {Hand} */ hand = {
    lift: (held) => {
      state.held = held;
      state.piece = -1;
      state.tapped = null;
      root.classList.add("dragging");
      show();
    },
    look: (held) => {
      const { shades: own } = tiles[held.tile];
      return { node: table.section(held.tile, held.orientation, held.part), heart: lookup.heart(held.tile, held.orientation, held.part), shade: own[0], scale: table.scale() };
    },
    middle: (held) => {
      if (held.from < 0) {
        const box = tray.buttons[held.tile].getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2];
      }
      const [x, y] = lookup.anchor(held.from, held.part);
      const [dx, dy] = lookup.heart(held.tile, held.orientation, held.part);
      return table.outside(x + dx, y + dy);
    },
    turn: (held, step) => {
      held.orientation = stepped(held.tile, held.orientation, step);
      held.part = Math.min(held.part, tiles[held.tile].orientations[held.orientation].parts.length - 1);
    },
    over: (x, y, held) => {
      const { fits, near } = found(x, y, held);
      if (fits >= 0) table.ghost(fits, tiles[held.tile].shades[0], "fits");
      else table.ghost(near, tiles[held.tile].shades[0], near >= 0 && canSwap(near, held.from) ? "fits" : "blocked");
    },
    drop: (x, y, held) => {
      const { fits, near } = found(x, y, held);
      const box = table.picture.getBoundingClientRect();
      const inside = x > box.left && x < box.right && y > box.top && y < box.bottom;
      release();
      state.turned[held.tile] = held.orientation;
      if (fits >= 0) lay(fits, held.from);
      else if (near >= 0 && canSwap(near, held.from)) swap(near, held.from);
      else if (!inside && held.from >= 0) takeBack(held.from);
      else {
        if (inside) tell(say("noFit", { piece: called(held.tile, held.orientation) }));
        show();
      }
    },
    cancel: () => {
      release();
      show();
    },
    tap: (event) => {
      drag = null;
      const p = pieceOf(event), tile = tileOf(event);
      if (tile >= 0) return choose(tile);
      const atom = table.atomAt(event.clientX, event.clientY);
      if (p >= 0) tapPiece(p, atom);
    },
  };
  const found = (/** @type {number} */ x, /** @type {number} */ y, /** @type {Held} */ held) => {
    const [bx, by] = table.within(x, y);
    const [dx, dy] = lookup.heart(held.tile, held.orientation, held.part);
    const reach = Math.max(REACH * board.unit, 26 / table.scale());
    return nearestPlaces(board, lookup, { ...held, x: bx - dx, y: by - dy, reach }, (p) => free(p, held.from));
  };
  /** The placements that overlap a placement. @param {number} p @param {number} from */
  const inTheWay = (p, from) => [...new Set(placements.atoms[p].map((a) => owner[a]).filter((q) => q >= 0 && q !== from))];
  const canSwap = (/** @type {number} */ p, /** @type {number} */ from) => {
    const others = inTheWay(p, from);
    return cards && others.length === 1 && !immovable.has(others[0]);
  };
  const release = () => {
    drag = null;
    state.held = null;
    root.classList.remove("dragging");
    table.ghost(-1, "", "");
  };
  /** The number in an attribute of the element under an event, or -1. @param {Event} event @param {string} name the attribute */
  const numberAt = (event, name) => Number((event.target instanceof Element ? event.target.closest(`[${name}]`) : null)?.getAttribute(name) ?? -1);
  const pieceOf = (/** @type {Event} */ event) => numberAt(event, "data-p"), tileOf = (/** @type {Event} */ event) => numberAt(event, "data-tile");
  const pressed = (/** @type {PointerEvent} */ event) => {
    if (event.button !== 0 || drag || state.held) return;
    if (state.carried) putBack();
    const p = pieceOf(event), tile = tileOf(event);
    if (tile >= 0) {
      if (left(tile) > 0) drag = startDrag(event, { tile, orientation: state.turned[tile], part: 0, from: -1 }, hand);
      else choose(tile);
    } else if (p >= 0 && immovable.has(p)) tellKept(p);
    else if (p >= 0) {
      const layer = partUnder(p, event);
      drag = startDrag(event, { tile: placements.tile[p], orientation: placements.orientation[p], part: layer, from: p }, hand);
    }
  };
  /** The section of a placement under the pointer. @param {number} p @param {PointerEvent} event */
  const partUnder = (p, event) => {
    const atom = table.atomAt(event.clientX, event.clientY);
    const { parts } = tiles[placements.tile[p]].orientations[placements.orientation[p]];
    const part = atom < 0 ? 0 : parts.findIndex((_, k) => lookup.layerOf(p, k) === atoms[atom].layer);
    return Math.max(0, part);
  };
  /** Handle a click on the board outside all pieces. @param {MouseEvent} event */
  const clicked = (event) => {
    if (pieceOf(event) >= 0) return;
    const atom = table.atomAt(event.clientX, event.clientY);
    if (atom < 0) return;
    if (state.tile >= 0) tapPlace(atom);
    else if (state.piece >= 0) movePiece(state.piece, atom);
    else tell(say("choose"));
  };
  /** Move a piece over a place without turning it. @param {number} p @param {number} atom */
  const movePiece = (p, atom) => {
    if (immovable.has(p)) return tellKept(p);
    const tile = placements.tile[p], orientation = placements.orientation[p];
    const there = over(atom, tile, orientation).filter((q) => free(q, p));
    if (!there.length) return noWay(atom, tile, orientation);
    const q = nearestBy(there, (r) => away(lookup.middle(r), [atoms[atom].x, atoms[atom].y]));
    state.piece = q;
    lay(q, p);
  };

  // ---- keyboard ----
  const carry = (/** @type {number} */ tile, /** @type {number} */ from) => {
    if (from < 0 && left(tile) <= 0) return tell(say("gone", { piece: called(tile) }));
    const orientation = from >= 0 ? placements.orientation[from] : state.turned[tile];
    const all = lookup.lying(tile, orientation);
    const [, , width, height] = board.frame;
    const p = from >= 0 ? from : firstOf(all, [width / 2, height / 2]);
    if (p < 0) return tell(say("noFit", { piece: called(tile, orientation) }));
    state.carried = { tile, orientation, p, from };
    state.tile = state.piece = -1;
    state.tapped = null;
    surface.focus();
    showCarried(say("picked", { piece: called(tile, orientation) }));
  };
  /** The placement nearest to a point; a free placement if there is one. @param {number[]} all @param {[number, number]} point */
  const firstOf = (all, point) => {
    const from = state.carried?.from ?? -1;
    const best = nearestBy(all, (q) => (free(q, from) ? away(lookup.middle(q), point) : Infinity));
    return best >= 0 ? best : nearestBy(all, (q) => away(lookup.middle(q), point));
  };
  const showCarried = (/** @type {string} */ before = "") => {
    if (!state.carried) return;
    const { tile, p, from } = state.carried;
    const fits = free(p, from);
    table.ghost(p, tiles[tile].shades[0], fits ? "fits" : "blocked");
    show();
    const there = `${say("at", { piece: calledAt(p), place: placeOf(p) })}, ${say(fits ? "fits" : "blocked")}`;
    tell(before ? `${before}. ${there}` : there);
  };
  const carryTurned = (/** @type {Step} */ step) => {
    if (!state.carried) return;
    const { tile, p } = state.carried;
    let { orientation } = state.carried;
    for (let tries = 0; tries < tiles[tile].orientations.length; tries += 1) {
      orientation = stepped(tile, orientation, step);
      if (lookup.lying(tile, orientation).length) break;
    }
    const next = nearestBy(lookup.lying(tile, orientation), (q) => lookup.away(q, p));
    if (next < 0) return;
    state.carried = { ...state.carried, orientation, p: next };
    showCarried();
  };
  const putDown = () => {
    if (!state.carried) return;
    const { tile, orientation, p, from } = state.carried;
    if (!free(p, from)) {
      if (!canSwap(p, from)) return tell(say("noFit", { piece: called(tile, orientation) }));
      endCarry();
      return swap(p, from);
    }
    endCarry();
    lay(p, from);
    state.cursor = placements.atoms[p][0];
  };
  const endCarry = () => {
    state.carried = null;
    table.ghost(-1, "", "");
  };
  const putBack = () => {
    const carried = state.carried;
    endCarry();
    show();
    if (carried) tell(say("back_", { piece: called(carried.tile, carried.orientation) }));
    if (carried && carried.from < 0) tray.buttons[carried.tile].focus();
  };
  const moveCursor = (/** @type {[number, number]} */ direction) => {
    const main = atoms.map((_, a) => a).filter((a) => atoms[a].main && atoms[a].path);
    if (state.cursor < 0) [state.cursor] = main;
    else {
      const next = inDirection(state.cursor, main, (a) => [atoms[a].x, atoms[a].y], direction);
      if (next >= 0) state.cursor = next;
    }
    const p = owner[state.cursor];
    table.point("cursor", [state.cursor]);
    tell(`${atoms[state.cursor].name}: ${p < 0 ? say("empty") : calledAt(p)}`);
  };
  const changeLayer = (/** @type {number} */ by) => {
    if (!state.carried || !placements.rise) return;
    const { tile, orientation, p } = state.carried;
    const rise = placements.rise;
    const next = nearestBy(lookup.lying(tile, orientation), (q) => ((rise[q] - rise[p]) * by > 0 ? lookup.away(q, p) : Infinity));
    if (next >= 0) state.carried.p = next;
    showCarried();
  };
  const onBoard = (/** @type {KeyboardEvent} */ event) => {
    const direction = ARROWS[event.key];
    if (state.carried && /^Page(Up|Down)$/.test(event.key)) changeLayer(event.key === "PageUp" ? 1 : -1);
    else if (direction) {
      if (state.carried) {
        const { tile, orientation, p } = state.carried;
        const next = inDirection(p, lookup.lying(tile, orientation), lookup.middle, direction);
        if (next >= 0) state.carried.p = next;
        showCarried();
      } else moveCursor(direction);
    } else if (event.key === "Enter" || event.key === " ") {
      if (state.carried) putDown();
      else if (state.cursor >= 0 && owner[state.cursor] >= 0) {
        const p = owner[state.cursor];
        if (immovable.has(p)) tellKept(p);
        else carry(placements.tile[p], p);
      } else if (state.cursor >= 0 && state.tile >= 0) tapPlace(state.cursor);
      else tell(say("choose"));
    } else if (event.key === "Escape" && state.carried) putBack();
    else if (event.key === "Delete" || event.key === "Backspace") {
      const p = state.carried ? state.carried.from : state.piece >= 0 ? state.piece : state.cursor >= 0 ? owner[state.cursor] : -1;
      if (state.carried && p < 0) putBack();
      else if (p >= 0) {
        endCarry();
        takeBack(p);
      } else return;
    } else return;
    event.preventDefault();
  };
  const anywhere = (/** @type {KeyboardEvent} */ event) => {
    if (boardInUse !== null && boardInUse !== root) return;
    if (event.defaultPrevented || (event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))) return;
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      if (event.altKey || (key !== "z" && key !== "y")) return;
      travel(key === "y" || event.shiftKey ? 1 : -1);
    } else if (event.altKey) return;
    else if (key === "r") turn(event.shiftKey ? "back" : "turn");
    else if (key === "f") turn("flip");
    else if (key === "m" && solid) turn("mirror");
    else if (key === "escape") {
      if (drag) drag.cancel();
      else if (state.tile >= 0 || state.piece >= 0) {
        state.tile = state.piece = -1;
        show();
      } else return;
    } else return;
    event.preventDefault();
  };
  const inTray = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    const tile = tileOf(event);
    if (tile < 0) return;
    event.preventDefault();
    carry(tile, -1);
  };
  const wheeled = (/** @type {WheelEvent} */ event) => {
    if (drag || state.piece < 0 || pieceOf(event) !== state.piece) return;
    event.preventDefault();
    turn(event.deltaY > 0 ? "turn" : "back");
  };

  // ---- counts and hints ----
  const inquire = async () => {
    asking?.abort();
    if (!options.ask) return;
    const mine = new AbortController();
    asking = mine;
    const late = setTimeout(() => ways.textContent === "" && (ways.textContent = say("counting")), WAIT);
    try {
      const standing = await options.ask.completions(position(), mine.signal, (part) => mine === asking && showStanding(part));
      if (mine === asking) showStanding(standing);
    } catch (error) {
      if (mine === asking && !mine.signal.aborted) ways.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      clearTimeout(late);
    }
  };
  const showStanding = (/** @type {Standing} */ standing) => {
    const { completions: n, exact = true, dead, words, take_back: out } = standing;
    if (words !== undefined) ways.textContent = words;
    else if (n === null || n === undefined) ways.textContent = say("waysUnknown");
    else if (n === 0 && exact) ways.textContent = say("ways0");
    else if (!state.placed.length) ways.textContent = say(`startWays${exact ? "" : "More"}${n === 1 ? 1 : ""}`, { n });
    else if (root.classList.contains("finished")) ways.textContent = "";
    else ways.textContent = say(`ways${exact ? "" : "More"}${n === 1 ? 1 : ""}`, { n });
    root.classList.toggle("stuck", n === 0 && exact);
    if (!state.placed.length && exact && n) state.total = n;
    if (dead) setDead(dead);
    if (out?.length) {
      const names = out.map((name) => lookup.number(name)).filter((p) => p >= 0).map(calledAt);
      wayBack.textContent = say("takeBackOf", { names: names.join(", ") });
    }
  };
  const setDead = (/** @type {Dead[]} */ dead) => {
    const where = dead.map(({ atom }) => lookup.atom(atom)).filter((a) => a >= 0);
    table.point("dead", where);
    const /** @type {Map<string, string[]>} */ reasons = new Map();
    for (const { atom, reason } of dead) {
      const name = typeof atom === "number" ? atoms[atom].name : atom;
      reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
    }
    const sentences = [...reasons].map(([reason, places]) => {
      const some = places.slice(0, MAX_NAMED).join(", ") + (places.length > MAX_NAMED ? " …" : "");
      return htmlElement("p", {}, reason ? say("dead1", { place: some, reason }) : say("dead", { places: some }));
    });
    deadPlaces.replaceChildren(...sentences);
  };
  /** @param {number} step @param {Hint|null} [hint] */
  const setHint = (step, hint) => {
    if (hint !== undefined) state.hint = hint;
    const p = state.hint?.placement ? lookup.number(state.hint.placement) : -1;
    state.step = p < 0 ? 0 : step;
    table.point("glow", state.step >= 1 ? placements.atoms[p] : []);
    if (!state.held && !state.carried) table.ghost(state.step >= 3 ? p : -1, p < 0 ? "" : tiles[placements.tile[p]].shades[0], state.step >= 3 ? "shown" : "");
    buttons.hint.textContent = say(["hint", "which", "how", "lay"][state.step]);
    if (state.step === 1) tell(say(state.hint?.forced ? "hintForced" : "hintWhere"));
    if (state.step === 2) tell(`${say("hintWhich", { piece: called(placements.tile[p], placements.orientation[p]) })} ${about(state.hint)}`.trim());
    if (state.step === 3) tell(say("hintHow", { piece: calledAt(p) }));
    show();
    placeHint();
    if (state.step > 0) status.scrollIntoView({ block: "nearest" });
  };
  const about = (/** @type {Hint|null} */ hint) => {
    if (!hint) return "";
    if (hint.reason) return hint.reason;
    if (!hint.every || !hint.shared || !hint.listed) return "";
    return hint.shared === hint.listed ? say("hintAll") : say("hintShared", { n: hint.shared, m: hint.listed });
  };
  const askHint = async () => {
    if (state.hint && state.step === 3) {
      const p = lookup.number(state.hint.placement ?? "");
      if (p >= 0 && free(p)) lay(p, -1);
      return;
    }
    if (state.hint) return setHint(state.step + 1);
    if (!options.ask || seeking === state.placed) return;
    const requested = (seeking = state.placed);
    let /** @type {Hint|null} */ hint = null;
    const late = setTimeout(() => {
      buttons.hint.setAttribute("aria-busy", "true");
      tell(say("searching"));
    }, WAIT);
    try {
      hint = await options.ask.hint(position(), new AbortController().signal);
    } catch (error) {
      return tell(error instanceof Error ? error.message : String(error));
    } finally {
      clearTimeout(late);
      if (seeking === requested) seeking = null;
      buttons.hint.removeAttribute("aria-busy");
    }
    if (requested !== state.placed) return;
    if (!hint?.placement) tell(hint?.words || say("hintNone"));
    else setHint(1, hint);
  };

  // ---- elements ----
  /** @param {string} label @param {() => void} act @param {string} sign @param {string} [keys] */
  const tool = (label, act, sign, keys) => {
    const plain = label.replaceAll("\u00ad", ""); // Narrow buttons break the label at its soft hyphens.
    const button = htmlElement("button", { type: "button", class: "tool", click: act, "aria-label": plain, title: keys ? `${plain} (${keys})` : null });
    button.append(htmlElement("span", { class: "sign", "aria-hidden": "true" }, sign), htmlElement("span", { class: "label" }, label));
    return button;
  };
  const buttons = {
    turn: tool(say("turn"), () => turn("turn"), "↻", "R"),
    back: tool(say("back"), () => turn("back"), "↺", say("keyBack")),
    flip: tool(say(solid ? "tip" : "flip"), () => turn("flip"), solid ? "⤵" : "⇋", "F"),
    mirror: tool(say("mirror"), () => turn("mirror"), "⇋", "M"),
    takeBack: tool(say("takeBack"), () => state.piece >= 0 && takeBack(state.piece), "⌫", say("keyTakeBack")),
    undo: tool(say("undo"), () => travel(-1), "↶", say("keyUndo")),
    redo: tool(say("redo"), () => travel(1), "↷", say("keyRedo")),
    clear: tool(say("clear"), () => {
      change(state.placed.filter((p) => immovable.has(p)), say("cleared"));
      moment.again();
    }, "⟲"),
    hint: htmlElement("button", { type: "button", class: "tool hint", click: () => void askHint() }, say("hint")),
  };
  const can = (/** @type {Step} */ step) => tiles.some((tile) => tile.orientations.some((o) => o[step] !== null));
  for (const [name, button] of Object.entries(buttons)) button.classList.add(name);
  buttons.flip.hidden = !can("flip");
  buttons.mirror.hidden = !can("mirror");
  buttons.hint.hidden = !options.ask;
  const surface = htmlElement("div", { class: "board-table", tabindex: 0, role: "application", "aria-label": say("board") });
  surface.append(table.picture);
  const tools = htmlElement("div", { class: "board-tools", role: "toolbar", "aria-label": say("tools") }, ...Object.values(buttons));
  const legend = htmlElement("ul", { class: "board-legend" }, ...board.legend.map(({ name, colour }) => {
    const swatch = htmlElement("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.background = colour;
    return htmlElement("li", {}, swatch, marked(name));
  }));
  legend.hidden = !board.legend.length;
  const broad = board.frame[2] > BROAD * board.frame[3];
  const stage = htmlElement("div", { class: "board-stage" }, surface, htmlElement("div", { class: "board-line" }, status, moment.words));
  const side = htmlElement("div", { class: "board-side" }, ways, tray.root, trouble, legend, htmlElement("p", {}, moment.clock));
  ways.hidden = !options.ask;
  root.replaceChildren(tools, htmlElement("div", { class: "board-parts" }, stage, side));
  root.classList.add("board", ...(tiles.length > MANY ? ["many"] : []), ...(broad ? ["broad"] : []), ...(cards ? ["cards"] : []), ...(solid ? ["layers"] : []));
  root.style.setProperty("--columns", String(Math.min(Math.max(4, Math.ceil(tiles.length / 2)), broad ? 5 : 7)));
  const resized = new ResizeObserver(placeHint);
  resized.observe(stage);

  const ending = new AbortController(), { signal } = ending;
  for (const kind of ["pointerdown", "focusin"]) root.addEventListener(kind, () => (boardInUse = root), { signal });
  surface.addEventListener("pointerdown", pressed);
  surface.addEventListener("click", clicked);
  surface.addEventListener("keydown", onBoard);
  surface.addEventListener("wheel", wheeled, { passive: false });
  surface.addEventListener("blur", () => table.point("cursor", []));
  surface.addEventListener("contextmenu", (event) => drag && event.preventDefault());
  tray.root.addEventListener("contextmenu", (event) => drag && event.preventDefault());
  tray.root.addEventListener("pointerdown", pressed);
  tray.root.addEventListener("keydown", inTray);
  tray.root.addEventListener("click", (event) => {
    if (tileOf(event) >= 0 && event.detail === 0) choose(tileOf(event)); // A click from the keyboard or from assistive technology.
  });
  document.addEventListener("keydown", anywhere, { signal });

  const /** @type {Board} */ made = {
    position,
    set: (names, quiet = false) => {
      const wished = names.map(lookup.number).filter((p) => !board.fixed.includes(p));
      const /** @type {number[]} */ placed = [];
      for (const p of wished) {
        state.placed = placed;
        occupy();
        if (p >= 0 && free(p) && left(placements.tile[p]) > 0) placed.push(p);
      }
      for (const p of placed) state.turned[placements.tile[p]] = placements.orientation[p];
      const sentence = placed.length < wished.length ? say("dropped", { n: wished.length - placed.length }) : "";
      state.placed = state.history[state.now];
      if (!quiet) {
        if (placed.length > state.placed.length) moment.helped();
        return change(placed, sentence); // This step can be undone.
      }
      state.history = [placed];
      state.now = 0;
      settle(placed, sentence, true);
    },
    undo: () => travel(-1),
    redo: () => travel(1),
    onchange: null,
    setDead,
    setHint,
    hint: askHint,
    finished: isFinished,
    destroy: () => {
      asking?.abort();
      drag?.cancel();
      moment.end();
      resized.disconnect();
      ending.abort();
      if (boardInUse === root) boardInUse = null;
      root.replaceChildren();
    },
  };
  made.set([...(options.given ?? []), ...(options.position ?? []).filter((name) => !options.given?.includes(name))], true);
  return made;
}

const away = (/** @type {[number, number]} */ p, /** @type {[number, number]} */ q) => Math.hypot(p[0] - q[0], p[1] - q[1]);

/** The element with the least cost below a bound, or -1. @param {number[]} some @param {(thing: number) => number} cost
 * @param {number} [bound] */
function nearestBy(some, cost, bound = Infinity) {
  let found = -1, best = bound;
  for (const thing of some) {
    const here = cost(thing);
    if (here < best) [found, best] = [thing, here];
  }
  return found;
}
