// @ts-nocheck
// Solutions in space as still pictures (the algorithm of puzzlesat/pictures/bodies.py and isometric.py). Points are [right, down, towards the eye] in pixels.
export const Bodies = (() => {
  const HAIR = 1e-6, SPECK = 0.02, INSIDE = 1e-3, TOUCH = 1e-4; // in pixels
  const OUTLINE = "#222222", HEIGHT = 0.75, CLOSE = 0.92, SMALLEST = 5, LARGEST = 16, ROOMY = 24;
  const EDGE_ON = 1e-4, BROAD = 0.45, DARK = -0.12, LIGHT = 0.3, GLEAM = 0.45, ASIDE = [0.2, -0.3];
  const WIDTHS = { "ijlIJ'.,:;|/ ": 0.33, "frt()[]-!": 0.41, "cszL_*": 0.55, BRXZAVCU: 0.71, "HNDGOQw&": 0.79, "M#+<=>~^": 0.86, "mW%@": 1 };
  const widths = new Map(Object.entries(WIDTHS).flatMap(([letters, width]) => Array.from(letters, (letter) => [letter, width])));
  const breadth = (words) => Array.from(words).reduce((sum, letter) => sum + (widths.get(letter) || 0.64), 0); // in multiples of the font size
  const dot = (u, v) => u.reduce((sum, x, i) => sum + x * v[i], 0);
  const plus = (u, v) => u.map((x, i) => x + v[i]);
  const mean = (points) => points[0].map((_, i) => points.reduce((sum, p) => sum + p[i], 0) / points.length);
  const round = (x) => String(Math.round(100 * x) / 100);
  const path = (points, closed = true) => `M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join("L")}${closed ? "Z" : ""}`;
  const around = (points) => points.map((p, i) => [p, points[(i + 1) % points.length]]);

  // ------------------------------------------------------------------ visibility

  // Split a convex polygon by a line; `inside` holds the signed distance of each corner.
  function split(polygon, inside) {
    if (Math.min(...inside) > -HAIR) return [polygon, null];
    if (Math.max(...inside) < HAIR) return [null, polygon];
    const within = [], beyond = [];
    polygon.forEach((p, i) => {
      const j = (i || polygon.length) - 1, here = inside[i], before = inside[j];
      if ((here > HAIR && before < -HAIR) || (here < -HAIR && before > HAIR)) {
        const share = before / (before - here), q = polygon[j];
        const crossing = [q[0] + share * (p[0] - q[0]), q[1] + share * (p[1] - q[1])];
        within.push(crossing);
        beyond.push(crossing);
      }
      if (here > -HAIR) within.push(p);
      if (here < HAIR) beyond.push(p);
    });
    return [within, beyond];
  }

  // The lines through the sides of a convex polygon: [a, b, c], where a x + b y + c is the signed distance of (x, y), positive inside.
  function linesOf(polygon) {
    const sides = around(polygon), turn = Math.sign(sides.reduce((sum, [p, q]) => sum + p[0] * q[1] - p[1] * q[0], 0)), found = [];
    for (const [p, q] of sides) {
      const length = turn * Math.hypot(q[0] - p[0], q[1] - p[1]);
      if (Math.abs(length) <= HAIR) continue;
      const a = (p[1] - q[1]) / length, b = (q[0] - p[0]) / length;
      found.push([a, b, -a * p[0] - b * p[1]]);
    }
    return found;
  }

  const within = (line, p) => line[0] * p[0] + line[1] * p[1] + line[2];

  function without(parts, hole) {
    const found = [];
    for (const part of parts) {
      let rest = part;
      const outside = [];
      for (const line of hole) {
        const [inner, beyond] = split(rest, rest.map((p) => within(line, p)));
        if (beyond) outside.push(beyond);
        rest = inner;
        if (!rest) break;
      }
      if (rest) found.push(...outside);
      else found.push(part);
    }
    return found;
  }

  function measured(face) {
    const normal = [0, 0, 0];
    for (const [p, q] of around(face.corners)) {
      normal[0] += p[1] * q[2] - p[2] * q[1];
      normal[1] += p[2] * q[0] - p[0] * q[2];
      normal[2] += p[0] * q[1] - p[1] * q[0];
    }
    const [x, y, z] = mean(face.corners), a = -normal[0] / normal[2], b = -normal[1] / normal[2];
    const ends = (pick, i) => pick(...face.corners.map((p) => p[i]));
    return { ...face, plane: [a, b, z - a * x - b * y], low: [ends(Math.min, 0), ends(Math.min, 1)], high: [ends(Math.max, 0), ends(Math.max, 1)],
      lines: linesOf(face.corners) };
  }

  const common = (one, other, i) => Math.min(one.high[i], other.high[i]) - Math.max(one.low[i], other.low[i]);
  const meet = (one, other, by) => common(one, other, 0) > by && common(one, other, 1) > by;

  // The visible convex parts of a face: the face without the projections of everything in front of its plane.
  function seenOf(face, faces) {
    const hiding = [];
    for (const other of faces) {
      if (other === face || !meet(face, other, HAIR)) continue;
      const nearer = other.corners.map((p) => p[2] - within(face.plane, p));
      if (Math.max(...nearer) <= HAIR) continue;
      hiding.push([common(face, other, 0) * common(face, other, 1), other, nearer]);
    }
    let parts = [face.corners];
    for (const [, other, nearer] of hiding.sort((one, two) => two[0] - one[0])) {
      parts = without(parts, Math.min(...nearer) > -HAIR ? other.lines : linesOf(split(other.corners, nearer)[0]));
      if (!parts.length) break;
    }
    return parts;
  }

  // The visible parts of an edge of a face, tested slightly inside the face.
  function shownOf([from, to], inward, faces) {
    const size = Math.hypot(...inward), [p, q] = [from, to].map((end) => end.map((x, i) => x + (INSIDE * inward[i]) / size));
    const box = { low: [Math.min(p[0], q[0]), Math.min(p[1], q[1])], high: [Math.max(p[0], q[0]), Math.max(p[1], q[1])] };
    const hidden = [];
    for (const face of faces) {
      if (!meet(box, face, -HAIR)) continue;
      let start = 0, end = 1;
      const keep = (a, b) => {
        if (a < 0 && b < 0) end = -1;
        else if (a < 0) start = Math.max(start, a / (a - b));
        else if (b < 0) end = Math.min(end, a / (a - b));
      };
      keep(within(face.plane, p) - p[2] - HAIR, within(face.plane, q) - q[2] - HAIR);
      for (const line of face.lines) keep(within(line, p) + HAIR, within(line, q) + HAIR);
      if (end > start) hidden.push([start, end]);
    }
    const at = (share) => [p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])], length = Math.hypot(q[0] - p[0], q[1] - p[1]), found = [];
    let reached = 0;
    for (const [start, end] of [...hidden.sort((one, other) => one[0] - other[0]), [1, 1]]) {
      if ((start - reached) * length > SPECK) found.push([at(reached), at(start)]);
      reached = Math.max(reached, end);
    }
    return found;
  }

  // ------------------------------------------------------------------ names

  const inside = (polygon) => { const lines = linesOf(polygon); return (p) => lines.every((line) => within(line, p) >= 0); };
  const area = (polygon) => Math.abs(around(polygon).reduce((sum, [p, q]) => sum + p[0] * q[1] - p[1] * q[0], 0)) / 2;

  // The largest font size at which a name centred at a point touches no wall.
  function roomAt([x, y], walls, box) {
    let least = ROOMY;
    for (const [p, q] of walls) {
      const a = [(p[0] - x) / box[0], (p[1] - y) / box[1]], along = [(q[0] - p[0]) / box[0], (q[1] - p[1]) / box[1]];
      const from = (share) => Math.max(Math.abs(a[0] + share * along[0]), Math.abs(a[1] + share * along[1]));
      least = Math.min(least, from(0), from(1));
      for (const [u, v] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
        const share = -(a[0] * u + a[1] * v) / (along[0] * u + along[1] * v);
        if (share > 0 && share < 1) least = Math.min(least, from(share));
      }
    }
    return CLOSE * least;
  }

  function placeFor(name, parts, walls, free = () => true) {
    const [low, high] = [Math.min, Math.max].map((pick) => [0, 1].map((i) => parts.reduce((end, part) => pick(end, ...part.map((p) => p[i])), parts[0][0][i])));
    walls = walls.filter(([p, q]) => [0, 1].every((i) => Math.min(p[i], q[i]) <= high[i] + 1 && Math.max(p[i], q[i]) >= low[i] - 1));
    const box = [breadth(name) / 2, HEIGHT / 2], whole = parts.reduce((sum, part) => sum + area(part), 0), spacing = Math.max(Math.sqrt(whole / 100), 1);
    const points = parts.map(mean);
    for (const part of parts) {
      const fits = inside(part), [[left, right], [top, bottom]] = [0, 1].map((i) => [Math.min(...part.map((p) => p[i])), Math.max(...part.map((p) => p[i]))]);
      for (let x = Math.ceil(left / spacing) * spacing; x <= right; x += spacing)
        for (let y = Math.ceil(top / spacing) * spacing; y <= bottom; y += spacing) if (fits([x, y])) points.push([x, y]);
    }
    let best = null;
    const look = (p) => { const size = roomAt(p, walls, box); if (!best || size > best.size + 0.05) best = { at: p, size }; };
    const middle = mean(parts.map(mean));
    points.filter(free).sort((p, q) => Math.hypot(p[0] - middle[0], p[1] - middle[1]) - Math.hypot(q[0] - middle[0], q[1] - middle[1])).forEach(look);
    for (let step = spacing; best && step > spacing / 5 && best.size < CLOSE * ROOMY; step /= 2) {
      const reach = Math.min(step, best.size * Math.min(...box)), [x, y] = best.at; // No wall is nearer than this.
      for (const i of [-1, 0, 1]) for (const j of [-1, 0, 1]) look([x + (i * reach) / 2, y + (j * reach) / 2]);
    }
    return best && best.size >= SMALLEST ? { ...best, size: Math.min(best.size, LARGEST) } : null;
  }

  function text(piece, place, fill) {
    const [x, y] = place.at, name = piece.name.replace(/&/g, "&amp;").replace(/</g, "&lt;");
    return `<text data-placement="${piece.id}" x="${round(x)}" y="${round(y + 0.36 * place.size)}" font-size="${place.size.toFixed(1)}" fill="${ink(fill)}">${name}</text>`;
  }

  function shade(colour, share) {
    const end = share > 0 ? 255 : 0;
    const part = (i) => { const x = parseInt(colour.slice(i, i + 2), 16); return Math.round(x + (end - x) * Math.abs(share)).toString(16).padStart(2, "0"); };
    return `#${part(1)}${part(3)}${part(5)}`;
  }

  const ink = (fill) => (dot([0.2126, 0.7152, 0.0722], [1, 3, 5].map((i) => parseInt(fill.slice(i, i + 2), 16))) > 120 ? "#000" : "#fff");

  // ------------------------------------------------------------------ bodies

  // The atoms of a form (puzzlesat/pictures/solids.py) in view coordinates, with their front faces.
  function asSeen({ basis, view, light, factor, radius, shares, axes, kinds, atoms, behind }) {
    const turned = (p) => [0, 1, 2].map((j) => p.reduce((sum, x, i) => sum + x * view[i][j], 0)), pixels = (p) => turned(p).map((x) => x * factor);
    const numberIn = (known) => (p, scale) => { const key = p.map((x) => Math.round(x * scale)).join(); if (!known.has(key)) known.set(key, known.size); return known.get(key); };
    const corners = [], corner = numberIn(new Map()), direction = numberIn(new Map());
    const moves = atoms.map(([x, y, z]) => [0, 1, 2].map((i) => x * basis[0][i] + y * basis[1][i] + z * basis[2][i]));
    const looking = kinds.map(({ faces }) => faces.map(([around, normal], f) => [f, around, turned(normal)]).filter(([, , normal]) => normal[2] > EDGE_ON));
    const faces = atoms.map((atom, a) => looking[atom[3]].map(([f, around, normal]) => {
      const numbers = around.map((i) => { const p = pixels(plus(kinds[atom[3]].corners[i], moves[a])), n = corner(p, 1e4); corners[n] = p; return n; });
      return [numbers, 0.75 * (Math.max(0, dot(normal, light)) - 0.62), direction(normal, 1e6), behind[a][f]];
    }));
    return { radius: radius * factor, shares, corners, faces, kinds: atoms.map((atom) => atom[3]), axes: axes.map(turned),
      middles: atoms.map((atom, a) => pixels(plus(kinds[atom[3]].middle, moves[a]))), spans: kinds.map(({ span }) => span && span.map((ends) => ends.map((x) => x * factor))) };
  }

  // The front faces of the pieces, without faces between two atoms of one piece or between touching pieces.
  function facesOf(solid, pieces) {
    const owner = new Map(), found = [];
    for (const piece of pieces) for (const a of piece.atoms) owner.set(a, piece);
    for (const piece of pieces) {
      const skin = piece.atoms.flatMap((a) => solid.faces[a]).filter(([, , , behind]) => owner.get(behind) !== piece);
      // A side between two coplanar faces is not an edge of the piece.
      const times = new Map(), nameOf = (side, direction) => `${Math.min(...side)} ${Math.max(...side)} ${direction}`;
      for (const [corners, , direction] of skin)
        for (const side of around(corners)) times.set(nameOf(side, direction), (times.get(nameOf(side, direction)) || 0) + 1);
      for (const [corners, light, direction, behind] of skin) {
        const other = owner.get(behind);
        if (other && String(other.shift) === String(piece.shift)) continue;
        const moved = corners.map((i) => plus(solid.corners[i], piece.shift));
        const edges = around(moved).filter((_, i) => times.get(nameOf([corners[i], corners[(i + 1) % corners.length]], direction)) === 1);
        found.push(measured({ piece, corners: moved, fill: shade(piece.colour, light), edges }));
      }
    }
    return found;
  }

  function polytopes(solid, pieces) {
    const faces = facesOf(solid, pieces), fills = new Map(pieces.map((piece) => [piece, new Map()])), lines = new Map(pieces.map((piece) => [piece, []]));
    for (const face of faces) {
      const ofPiece = fills.get(face.piece);
      ofPiece.set(face.fill, [...(ofPiece.get(face.fill) || []), ...seenOf(face, faces)]);
      for (const [p, q] of face.edges) {
        const middle = mean([p, q]), inward = mean(face.corners).map((x, i) => x - middle[i]);
        lines.get(face.piece).push(...shownOf([p, q], inward, faces));
      }
    }
    const walls = [...lines.values()].flat();
    const group = (piece, drawn) => (drawn ? `<g data-placement="${piece.id}">${drawn}</g>` : "");
    const surface = (piece) => [...fills.get(piece)].map(([fill, parts]) => (parts.length ? `<path d="${parts.map((part) => path(part)).join("")}" fill="${fill}"/>` : "")).join("");
    const outline = (piece) => { const d = lines.get(piece).map((line) => path(line, false)).join(""); return d && `<path d="${d}" class="edge"/>`; };
    const name = (piece) => {
      const places = [...fills.get(piece)].filter(([, parts]) => parts.length).map(([fill, parts]) => [placeFor(piece.name, parts, walls), fill]).filter(([place]) => place);
      return places.length ? text(piece, ...places.reduce((one, other) => (other[0].size > one[0].size ? other : one))) : "";
    };
    const drawn = [surface, outline].flatMap((part) => pieces.map((piece) => group(piece, part(piece)))).join("") + pieces.map(name).join("");
    return [faces.flatMap((face) => face.corners), drawn];
  }

  // Balls, and a neck between each two touching balls of a piece, sorted from far to near.
  function balls(solid, pieces) {
    const { radius } = solid, parts = [];
    const angles = (n, whole) => Array.from({ length: n }, (_, i) => (i * whole) / (n - 1));
    const circle = angles(49, 2 * Math.PI).slice(1).map((t) => [radius * Math.cos(t), radius * Math.sin(t)]);
    for (const piece of pieces) {
      const centres = piece.atoms.map((a) => plus(solid.middles[a], piece.shift));
      centres.forEach((c, i) => {
        parts.push({ piece, depth: c[2], ball: c, outline: circle.map((p) => plus(c.slice(0, 2), p)) });
        for (const b of centres.slice(0, i)) {
          const along = c.map((x, j) => (x - b[j]) / (2 * radius));
          if (Math.hypot(...along) < 1.005) parts.push({ piece, depth: (b[2] + c[2]) / 2, outline: neck(b, c, along) });
        }
      });
    }
    function neck(a, b, along) {
      const reach = Math.sqrt(1 - BROAD * BROAD) * radius, length = Math.hypot(along[0], along[1]);
      const forward = length > 1e-9 ? [along[0] / length, along[1] / length] : [1, 0];
      const half = angles(25, Math.PI).map((t) => [0, 1].map((i) =>
        BROAD * radius * (Math.cos(t) * [-forward[1], forward[0]][i] - Math.sin(t) * Math.abs(along[2]) * forward[i])));
      return [...half.map((p) => p.map((x, i) => a[i] + reach * along[i] + x)), ...half.map((p) => p.map((x, i) => b[i] - reach * along[i] - x))];
    }
    parts.sort((one, other) => one.depth - other.depth || (one.ball ? 0 : 1) - (other.ball ? 0 : 1));
    const gleam = (c) => circle.map((p) => [0, 1].map((i) => c[i] + ASIDE[i] * radius + GLEAM * p[i]));
    const drawn = parts.map(({ piece, ball, outline }) => {
      const shine = ball ? `<path d="${path(gleam(ball))}" fill="${shade(piece.colour, LIGHT)}"/>` : "";
      return `<g data-placement="${piece.id}"><path d="${path(outline)}" fill="${shade(piece.colour, DARK)}" class="ball"/>${shine}</g>`;
    });
    for (const piece of pieces) {
      const places = parts.flatMap(({ piece: owner, ball, outline }, i) => {
        if (owner !== piece || !ball) return [];
        const nearer = parts.slice(i + 1).map((part) => part.outline), hidden = nearer.map(inside);
        return placeFor(piece.name, [outline], [outline, ...nearer].flatMap(around), (p) => hidden.every((covers) => !covers(p))) || [];
      });
      if (places.length) drawn.push(text(piece, places.reduce((one, other) => (other.size > one.size ? other : one)), shade(piece.colour, DARK)));
    }
    return [parts.flatMap((part) => part.outline), drawn.join("")];
  }

  // ------------------------------------------------------------------ assembled and exploded views

  // Test whether two pieces overlap: balls by the distance of their centres, polytopes by the axes of the grid as separating axes.
  function runInto(solid, one, other) {
    const moved = (piece) => piece.atoms.map((a) => [plus(solid.middles[a], piece.shift), solid.spans[solid.kinds[a]]]);
    const theirs = moved(other);
    return moved(one).some(([p, span]) => theirs.some(([q, reach]) => {
      if (solid.radius) return Math.hypot(...p.map((x, i) => x - q[i])) < 2 * solid.radius - TOUCH;
      return solid.axes.every((axis, i) => {
        const a = dot(axis, p), b = dot(axis, q);
        return Math.min(a + span[1][i], b + reach[1][i]) - Math.max(a + span[0][i], b + reach[0][i]) > TOUCH;
      });
    }));
  }

  // Move the pieces away from the centre until no two overlap; null if they overlap at every distance.
  function movedApart(solid, pieces) {
    const centre = mean(pieces.flatMap((piece) => piece.atoms.map((a) => solid.middles[a])));
    for (const share of solid.shares) {
      const moved = pieces.map((piece) => ({ ...piece, shift: mean(piece.atoms.map((a) => solid.middles[a])).map((x, i) => share * (x - centre[i])) }));
      if (!moved.some((piece, i) => moved.slice(0, i).some((other) => runInto(solid, piece, other)))) return moved;
    }
    return null;
  }

  function picture(solid, pieces) {
    const [points, drawn] = (solid.radius ? balls : polytopes)(solid, pieces);
    const [low, high] = [Math.min, Math.max].map((pick) => [0, 1].map((i) => points.reduce((end, p) => pick(end, p[i]), points[0][i])));
    return { x: low[0] - 2, y: low[1] - 2, width: high[0] - low[0] + 4, height: high[1] - low[1] + 4, drawn };
  }

  function inRows(pictures, gap) {
    const widest = Math.max(...pictures.map((p) => p.width), 1.3 * Math.sqrt(pictures.reduce((sum, p) => sum + (p.width + gap) * (p.height + gap), 0)));
    let x = 0, y = 0, height = 0, width = 0;
    const drawn = pictures.map((p) => {
      if (x && x + p.width > widest) [x, y, height] = [0, y + height + gap, 0];
      const here = `<g transform="translate(${round(x - p.x)} ${round(y - p.y)})">${p.drawn}</g>`;
      x += p.width + gap;
      width = Math.max(width, x - gap);
      height = Math.max(height, p.height);
      return here;
    });
    return { x: 0, y: 0, width, height: y + height, drawn: drawn.join("") };
  }

  const svg = ({ x, y, width, height, drawn }) =>
    `<svg class="body" viewBox="${[x, y, width, height].map(round).join(" ")}" text-anchor="middle" aria-hidden="true">${drawn}</svg>`;

  // Two pictures of pieces {id, atoms, colour, name}: assembled, and exploded. If no exploded view exists, the second shows each piece alone.
  function draw(form, placed) {
    if (!placed.length) return "";
    const solid = asSeen(form);
    const pieces = placed.map((piece) => ({ ...piece, shift: [0, 0, 0] })), apart = movedApart(solid, pieces);
    const second = apart ? picture(solid, apart) : inRows(pieces.map((piece) => picture(solid, [piece])), 24);
    return svg(picture(solid, pieces)) + svg(second);
  }

  // A function that draws one piece {atoms, colour, name} of a form as SVG elements with the top left corner at (0, 0).
  function drawer(form, size) {
    const solid = asSeen({ ...form, factor: size * form.factor }), line = `stroke="${OUTLINE}" stroke-width="1.6"`;
    return (piece) => {
      const { x, y, drawn } = picture(solid, [{ ...piece, shift: [0, 0, 0] }]);
      const styled = drawn.replaceAll('class="edge"', `fill="none" ${line}`).replaceAll('class="ball"', line);
      return `<g transform="translate(${round(-x)} ${round(-y)})" stroke-linejoin="round" stroke-linecap="round">${styled}</g>`;
    };
  }

  return { draw, drawer, breadth };
})();
