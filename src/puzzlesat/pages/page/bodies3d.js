// Bodies in space that the reader can turn: flat faces with edges, or balls joined by necks, in plain WebGL2.
// The form and its atoms come from puzzlesat/pictures/solids.py; colours and light match the pictures (pictures/bodies.py, pictures/isometric.py).
//
// The scene has one buffer each for faces, edges, balls and necks. Properties of a piece (translation, colours, glass) are in a small
// texture that the shaders read, so that moving pieces apart changes a single number.

/** @typedef {[number, number, number]} Vector */
/** @typedef {{middle: Vector, corners: Vector[], faces: [number[], Vector][], span?: [number[], number[]], ends?: [Vector, Vector]}} Kind a shape of atom in the unit cell */
/** @typedef {{basis: Vector[], view: Vector[], light: Vector, factor: number, radius: number, half: number, shares: number[], axes: Vector[], kinds: Kind[],
 *    atoms: number[][], layers: number, behind: number[][]}} Solid */
/** @typedef {{atoms: number[], colour: string, name: string, id?: number}} Piece the atoms of one placed tile */
/** @typedef {{piece: Piece, atom: number}} Hit */
/** @typedef {{label: string, bare?: boolean, onclick?: (hit: Hit | null) => void}} BodiesOptions
 * bare: do not draw the empty atoms of the form */
/** @typedef {{piece: number, atom: number, corners: Vector[], normal: Vector}} ShownFace */
/** @typedef {{piece: number, atom: number, at: Vector, glass: boolean}} ShownBall */
/** @typedef {{faces: ShownFace[], glass: ShownFace[], edges: number[], balls: ShownBall[], necks: number[]}} Skins */
/** @typedef {[number, number, number, number]} Quaternion the real part comes last */
/** @typedef {{move: Vector, spin: Quaternion, colour: Vector, alpha: number, line: Vector, lineAlpha: number, glass: boolean}} Look how a piece is drawn;
 * the rotation `spin` is applied before the translation `move` */
/** @typedef {{place: HTMLElement, anchor: Vector | null, normal: Vector, size: number}} Label */

const BODY = {
  eye: 8, // Distance of the eye from the centre, in radii of the scene: nearly the parallel projection of the pictures.
  fill: 0.97, most: 12, // Filled share of the canvas, and the largest zoom factor.
  outline: "#222222", line: 1.7, thin: 1.0, // Line widths in pixels.
  glass: 0.13, faint: 0.08,
  neck: 0.45, touching: 1.005, sides: 18, // Of balls: radius of a neck in ball radii; distance in diameters below which two balls have a neck; sides of a neck.
  across: 512, // Pieces per row of the texture.
  step: 15, click: 5, // Degrees turned per key press; a drag shorter than `click` pixels counts as a click.
  labels: 220, largest: 17, smallest: 7.5, settle: 90, // Resolution in pixels for finding room for names; range of font sizes; delay in milliseconds.
};

const /** @type {(u: Vector, v: Vector) => number} */ dot3 = (u, v) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
const /** @type {(u: Vector, v: Vector, by?: number) => Vector} */ plus3 = (u, v, by = 1) => [u[0] + by * v[0], u[1] + by * v[1], u[2] + by * v[2]];
const /** @type {(u: Vector, v: Vector) => Vector} */ cross3 = (u, v) => [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
const /** @type {(u: Vector) => number} */ length3 = (u) => Math.hypot(u[0], u[1], u[2]);
const /** @type {(points: Vector[]) => Vector} */ mean3 = (points) => points.reduce((sum, p) => plus3(sum, p, 1 / points.length), /** @type {Vector} */ ([0, 0, 0]));
const /** @type {(rows: Vector[], p: Vector) => Vector} */ turned3 = (rows, p) => [dot3(rows[0], p), dot3(rows[1], p), dot3(rows[2], p)];
const /** @type {(rows: Vector[], p: Vector) => Vector} */ back3 = (rows, [x, y, z]) => plus3(plus3(plus3([0, 0, 0], rows[0], x), rows[1], y), rows[2], z);
const /** @type {(q: Quaternion, p: Vector) => Vector} */ spun3 = (q, p) => {
  const axis = /** @type {Vector} */ (q.slice(0, 3));
  return plus3(p, cross3(axis, plus3(cross3(axis, p), p, q[3])), 2);
};
const /** @type {(q: Quaternion) => Quaternion} */ unspun = ([x, y, z, w]) => [-x, -y, -z, w];
const /** @type {Quaternion} */ STILL = [0, 0, 0, 1];
const /** @type {(colour: string) => Vector} */ rgbOf = (colour) => /** @type {Vector} */ ([1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255));
const /** @type {(colour: Vector) => number} */ brightness = (colour) => dot3([0.2126, 0.7152, 0.0722], colour);

// ------------------------------------------------------------------ geometry

/** The atoms of a form at their positions, relative to the centre of the form. @param {Solid} solid */
function placedAtoms(solid) {
  const moves = solid.atoms.map(([x, y, z]) => back3(solid.basis, [x, y, z]));
  const kindOf = (/** @type {number} */ a) => solid.kinds[solid.atoms[a][3]];
  const own = moves.flatMap((move, a) => (solid.radius ? [kindOf(a).middle] : kindOf(a).corners).map((p) => plus3(move, p)));
  let centre = mean3(own); // approximate centre of the smallest enclosing ball (Badoiu and Clarkson, Smaller core-sets for balls, 2003)
  for (let i = 2; i < 60; i++) {
    let [far, most] = [centre, 0];
    for (const p of own) if (length3(plus3(p, centre, -1)) > most) [far, most] = [p, length3(plus3(p, centre, -1))];
    centre = plus3(centre, plus3(far, centre, -1), 1 / i);
  }
  const places = moves.map((move) => plus3(move, centre, -1));
  const middles = places.map((move, a) => plus3(move, kindOf(a).middle));
  const reach = solid.radius || Math.max(...solid.kinds.flatMap((kind) => kind.corners.map((p) => length3(plus3(p, kind.middle, -1)))));
  const /** @type {Map<string, number>} */ numbers = new Map(), /** @type {Vector[]} */ points = [];
  const number = (/** @type {Vector} */ p) => { // equal corners share a number
    const key = p.map((x) => Math.round((x / reach) * 1e5)).join();
    const known = numbers.get(key) ?? points.push(p) - 1;
    numbers.set(key, known);
    return known;
  };
  const corners = places.map((move, a) => kindOf(a).corners.map((p) => number(plus3(move, p))));
  const origin = plus3(solid.kinds[0].middle, centre, -1); // centre of the cell at the origin
  return { middles, corners, points, reach, number, places, origin, kindOf, layer: solid.atoms.map((atom) => atom[4]) };
}

/** The translation of each piece in the exploded view, as in puzzlesat/pictures/isometric.py; pieces that overlap at every distance get the largest share.
 * @param {Solid} solid @param {Vector[]} middles @param {number[][]} bodies @returns {Vector[]} */
function apartBy(solid, middles, bodies) {
  const own = bodies.map((body) => mean3(body.map((a) => middles[a]))), centre = mean3(bodies.flatMap((body) => body.map((a) => middles[a])));
  const shifts = (/** @type {number} */ share) => own.map((m) => plus3([0, 0, 0], plus3(m, centre, -1), share));
  const share = solid.shares.find((s) => !runInto(solid, middles, bodies, shifts(s)));
  return shifts(share ?? solid.shares[solid.shares.length - 1]);
}

/** Test whether two bodies overlap: balls by the distance of their centres, polytopes by the axes of the grid as separating axes.
 * @param {Solid} solid @param {Vector[]} middles @param {number[][]} bodies @param {Vector[]} shifts */
function runInto(solid, middles, bodies, shifts) {
  const touch = 1e-6, axes = solid.radius ? [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => /** @type {Vector} */ (axis)) : solid.axes;
  const boxes = bodies.map((body, i) => body.map((a) => {
    const at = plus3(middles[a], shifts[i]), { span } = solid.kinds[solid.atoms[a][3]];
    return { at, low: axes.map((axis, k) => dot3(axis, at) + (span ? span[0][k] : -solid.radius)), high: axes.map((axis, k) => dot3(axis, at) + (span ? span[1][k] : solid.radius)) };
  }));
  const common = (/** @type {{low: number[], high: number[]}} */ one, /** @type {{low: number[], high: number[]}} */ other) =>
    axes.every((_, k) => Math.min(one.high[k], other.high[k]) - Math.max(one.low[k], other.low[k]) > touch);
  const whole = boxes.map((box) => ({ low: axes.map((_, k) => Math.min(...box.map((atom) => atom.low[k]))), high: axes.map((_, k) => Math.max(...box.map((atom) => atom.high[k]))) }));
  return boxes.some((box, i) => boxes.slice(0, i).some((other, j) => common(whole[i], whole[j]) && box.some((one) => other.some((two) =>
    solid.radius ? length3(plus3(one.at, two.at, -1)) < 2 * solid.radius - touch : common(one, two)))));
}

/** The visible surface of pieces: the faces that are not between two atoms of one piece, the edges among their sides, balls and necks.
 * Atoms above the shown layers are glass and hide no atom below. An owner is twice the number of a piece, plus 1 for glass.
 * @param {Solid} solid @param {ReturnType<typeof placedAtoms>} placed @param {Piece[]} pieces @param {(atom: number) => boolean} clear @returns {Skins} */
function skinsOf(solid, placed, pieces, clear) {
  const /** @type {Skins} */ skins = { faces: [], glass: [], edges: [], balls: [], necks: [] };
  pieces.forEach((piece, number) => {
    for (const glass of [false, true]) {
      const atoms = piece.atoms.filter((a) => clear(a) === glass);
      if (!atoms.length) continue;
      if (solid.radius) ballsOf(solid, placed, atoms, number, glass, skins);
      else facesOf(solid, placed, atoms, number, glass, skins);
    }
  });
  return skins;
}

/** @param {Solid} solid @param {ReturnType<typeof placedAtoms>} placed @param {number[]} atoms @param {number} piece @param {boolean} glass @param {Skins} skins */
function ballsOf(solid, placed, atoms, piece, glass, skins) {
  atoms.forEach((a, i) => {
    const at = placed.middles[a];
    skins.balls.push({ piece, atom: a, at, glass });
    for (const b of atoms.slice(0, i)) {
      const other = placed.middles[b];
      if (length3(plus3(at, other, -1)) < 2 * BODY.touching * solid.radius) skins.necks.push(...at, ...other, 2 * piece + Number(glass));
    }
  });
}

/** @param {Solid} solid @param {ReturnType<typeof placedAtoms>} placed @param {number[]} atoms @param {number} piece @param {boolean} glass @param {Skins} skins */
function facesOf(solid, placed, atoms, piece, glass, skins) {
  const inside = new Set(atoms), /** @type {Map<string, {ends: [number, number], times: Map<string, number>}>} */ sides = new Map();
  const add = (/** @type {number} */ atom, /** @type {number[]} */ corners, /** @type {Vector} */ normal) => {
    (glass ? skins.glass : skins.faces).push({ piece, atom, corners: corners.map((c) => placed.points[c]), normal });
    const direction = normal.map((x) => Math.round(1e4 * x)).join();
    corners.forEach((c, i) => {
      const d = corners[(i + 1) % corners.length], key = c < d ? `${c} ${d}` : `${d} ${c}`, side = sides.get(key) ?? { ends: [c, d], times: new Map() };
      side.times.set(direction, (side.times.get(direction) ?? 0) + 1);
      sides.set(key, side);
    });
  };
  const joints = jointsOf(solid, placed, atoms), /** @type {[number, number[], Vector][]} */ outer = atoms.flatMap((a) => placed.kindOf(a).faces
    .filter((_, f) => !inside.has(solid.behind[a][f])).map(([corners, normal]) => /** @type {[number, number[], Vector]} */ ([a, corners.map((c) => placed.corners[a][c]), normal])));
  const nameOf = (/** @type {number[]} */ corners) => [...corners].sort((c, d) => c - d).join(), between = new Set(joints.map(([, corners]) => nameOf(corners)));
  const ends = new Set(outer.map(([, corners]) => nameOf(corners)).filter((name) => between.has(name))); // no face separates a bar from a joint
  for (const [a, corners, normal] of [...outer, ...joints]) if (!ends.size || !ends.has(nameOf(corners))) add(a, corners, normal);
  for (const { ends: [c, d], times } of sides.values()) // a side between two coplanar faces is not an edge
    if ([...times.values()].includes(1)) skins.edges.push(...placed.points[c], ...placed.points[d], 2 * piece + Number(glass));
}

/** Cubes at the points where bars of one piece meet. @param {Solid} solid @param {ReturnType<typeof placedAtoms>} placed @param {number[]} atoms
 * @returns {[number, number[], Vector][]} */
function jointsOf(solid, placed, atoms) {
  const /** @type {Map<number, number[]>} */ meeting = new Map();
  for (const a of atoms) for (const end of placed.kindOf(a).ends ?? []) {
    const point = placed.number(plus3(placed.places[a], end));
    meeting.set(point, [...(meeting.get(point) ?? []), a]);
  }
  const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => /** @type {Vector} */ (axis)), /** @type {[number, number[], Vector][]} */ found = [];
  for (const [point, bars] of meeting) if (bars.length > 1) axes.forEach((axis, i) => [1, -1].forEach((way) => {
    const middle = plus3(placed.points[point], axis, way * solid.half), [u, v] = [axes[(i + 1) % 3], axes[(i + 2) % 3]];
    const around = [[1, 1], [-1, 1], [-1, -1], [1, -1]].map(([x, y]) => placed.number(plus3(plus3(middle, u, way * x * solid.half), v, y * solid.half)));
    found.push([bars[0], around, plus3([0, 0, 0], axis, way)]);
  }));
  return found;
}

// ------------------------------------------------------------------ shaders

const BODY_COMMON = `#version 300 es
precision highp float; precision highp int;
uniform highp sampler2D looks; // four rows per piece: translation and glass flag; colour; edge colour; rotation
uniform mat3 turn; uniform vec2 focus, pan; uniform float lift, scale, eye; uniform int pass; // passes: 0 solid, 1 glass, 2 numbers of pieces
vec4 lookOf(float owner, int row) { int n = int(owner) / 2; return texelFetch(looks, ivec2(n % ${BODY.across}, 4 * (n / ${BODY.across}) + row), 0); }
bool hidden(float owner) { return (pass == 1) != (int(owner) % 2 == 1 || lookOf(owner, 0).w > 0.5); }
vec3 spun(vec3 p, float owner) { vec4 q = lookOf(owner, 3); return p + 2.0 * cross(q.xyz, cross(q.xyz, p) + q.w * p); }
vec3 seen(vec3 p, float owner) { return turn * (spun(p, owner) + lift * lookOf(owner, 0).xyz) * scale; } // in radii of the scene; the eye is at (0, 0, eye)
float depthOf(float w) { float near = eye - 1.1, far = eye + 1.1; return ((far + near) * w - 2.0 * far * near) / (far - near); }
vec4 onCanvas(vec3 v) { float w = eye - v.z; return vec4(v.xy * focus + pan * w, depthOf(w), w); }
const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);
const int CORNERS[6] = int[6](0, 1, 2, 2, 1, 3); // corners of the two triangles of a strip
`;
const BODY_COLOURS = `
uniform vec3 light;
vec3 shaded(vec3 colour, float share) { return mix(colour, vec3(share > 0.0 ? 1.0 : 0.0), abs(share)); }
float lightness(vec3 normal) { return 0.75 * (max(0.0, dot(normal, light)) - 0.62); }
vec4 numbered(float owner, int part) { // the piece, and a hash of the face or ball
  int n = int(owner) / 2 + 1;
  return vec4(float(n & 255), float(n >> 8), float(part & 255), 255.0) / 255.0;
}
`;
const BODY_FACES = [`${BODY_COMMON}${BODY_COLOURS}
layout(location = 0) in vec3 at; layout(location = 1) in vec3 normal; layout(location = 2) in float owner;
flat out vec4 paint;
void main() {
  gl_Position = hidden(owner) ? NOWHERE : onCanvas(seen(at, owner));
  vec4 colour = lookOf(owner, 1);
  float alpha = pass == 0 ? 1.0 : int(owner) % 2 == 1 ? ${BODY.glass.toFixed(3)} : colour.a;
  paint = pass == 2 ? numbered(owner, int(dot(floor(normal * 3.7 + 4.0), vec3(1.0, 8.0, 61.0)))) : vec4(shaded(colour.rgb, lightness(turn * spun(normal, owner))), alpha);
}`, `#version 300 es
precision highp float; flat in vec4 paint; out vec4 colour;
void main() { colour = paint; }`];
const BODY_EDGES = [`${BODY_COMMON}
layout(location = 0) in vec3 from; layout(location = 1) in vec3 to; layout(location = 2) in float owner;
uniform vec2 size; uniform float width, thin, bias;
flat out vec4 paint;
vec3 nearer(vec3 v) { vec3 e = vec3(0.0, 0.0, eye); return e + (v - e) * (1.0 - bias / distance(v, e)); }
void main() {
  int corner = CORNERS[gl_VertexID % 6];
  vec4 line = lookOf(owner, 2);
  paint = int(owner) % 2 == 1 ? vec4(line.rgb, min(line.a, 0.28)) : line;
  vec4 a = onCanvas(nearer(seen(from, owner))), b = onCanvas(nearer(seen(to, owner))), p = corner < 2 ? a : b;
  vec2 along = (b.xy / b.w - a.xy / a.w) * size;
  along = length(along) > 1e-4 ? normalize(along) : vec2(1.0, 0.0);
  vec2 aside = vec2(-along.y, along.x) * (corner % 2 == 0 ? 1.0 : -1.0), beyond = corner < 2 ? -along : along;
  p.xy += (aside + beyond) * (pass == 1 ? thin : width) / size * p.w;
  gl_Position = hidden(owner) ? NOWHERE : p;
}`, BODY_FACES[1]];
const BODY_BALLS = [`${BODY_COMMON}
layout(location = 0) in vec3 at; layout(location = 1) in float owner;
uniform float radius;
flat out vec3 centre; flat out vec4 fill, line; flat out float number; flat out int part; out vec3 ray;
void main() {
  part = gl_VertexID / 6 + 1;
  centre = seen(at, owner) - vec3(0.0, 0.0, eye);
  fill = lookOf(owner, 1); line = lookOf(owner, 2); number = owner;
  if (pass == 0) fill.a = 1.0; else if (int(owner) % 2 == 1) { fill.a = ${BODY.glass.toFixed(3)}; line.a = min(line.a, 0.28); }
  float r = radius * scale * 1.03, d = length(centre), wide = r * d / sqrt(d * d - r * r);
  vec3 right = normalize(cross(vec3(0.0, 1.0, 0.0), centre)), up = normalize(cross(centre, right));
  int corner = CORNERS[gl_VertexID % 6];
  ray = centre + wide * ((corner % 2 == 0 ? -1.0 : 1.0) * right + (corner < 2 ? -1.0 : 1.0) * up);
  gl_Position = hidden(owner) ? NOWHERE : onCanvas(ray + vec3(0.0, 0.0, eye));
}`, `${BODY_COMMON}${BODY_COLOURS}
uniform float radius, width, perPixel;
flat in vec3 centre; flat in vec4 fill, line; flat in float number; flat in int part; in vec3 ray; out vec4 colour;
void main() {
  vec3 to = normalize(ray);
  float r = radius * scale, along = dot(to, centre), off = sqrt(max(0.0, dot(centre, centre) - along * along)), pixel = perPixel * along;
  float cover = clamp((r - off) / pixel + 0.5, 0.0, 1.0);
  if (cover <= 0.0) discard;
  vec3 hit = to * (along - sqrt(max(0.0, r * r - off * off))), normal = (hit - centre) / r;
  float w = -hit.z;
  gl_FragDepth = 0.5 + 0.5 * depthOf(w) / w;
  if (pass == 2) { colour = numbered(number, part); return; }
  // light as on the balls of the pictures, but softer: darker than the colour, with a highlight at the upper left or right, towards the light
  float shine = dot(normal, light), soft = -0.3 + 0.34 * max(0.0, shine) + 0.42 * smoothstep(0.86, 0.99, shine);
  float rim = smoothstep(r - 2.2 * width * pixel, r - 1.2 * width * pixel, off);
  vec3 shadedFill = shaded(fill.rgb, soft);
  colour = vec4(mix(shadedFill, line.rgb, fill.a > 0.0 ? rim * line.a : 1.0), mix(fill.a, max(fill.a, line.a), rim));
  colour.a *= cover; // coverage of samples on solid balls, opacity on glass balls
}`];
const BODY_NECKS = [`${BODY_COMMON}
layout(location = 0) in vec3 from; layout(location = 1) in vec3 to; layout(location = 2) in float owner;
uniform float radius;
flat out vec4 fill, line; flat out float number; out vec3 normal, place;
void main() {
  vec3 a = seen(from, owner), b = seen(to, owner), axis = normalize(b - a), u = normalize(cross(axis, abs(axis.x) < 0.7 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0)));
  int side = (gl_VertexID / 6) % ${BODY.sides}, corner = CORNERS[gl_VertexID % 6];
  float angle = float(side + corner / 2) * 6.283185307 / ${BODY.sides}.0;
  normal = cos(angle) * u + sin(angle) * cross(axis, u);
  place = (corner % 2 == 0 ? a : b) + normal * radius * scale * ${BODY.neck.toFixed(2)};
  fill = lookOf(owner, 1); line = lookOf(owner, 2); number = owner;
  if (pass == 0) fill.a = 1.0; else if (int(owner) % 2 == 1) fill.a = ${BODY.glass.toFixed(3)};
  gl_Position = hidden(owner) ? NOWHERE : onCanvas(place);
}`, `${BODY_COMMON}${BODY_COLOURS}
uniform float radius, width, perPixel;
flat in vec4 fill, line; flat in float number; in vec3 normal, place; out vec4 colour;
void main() {
  if (pass == 2) { colour = numbered(number, 0); return; }
  vec3 n = normalize(normal), to = normalize(vec3(0.0, 0.0, eye) - place);
  float across = sqrt(max(0.0, 1.0 - dot(n, to) * dot(n, to))), pixel = perPixel * distance(place, vec3(0.0, 0.0, eye)) / (radius * scale * ${BODY.neck.toFixed(2)});
  float rim = smoothstep(1.0 - 1.8 * width * pixel, 1.0 - 0.9 * width * pixel, across), shine = dot(n, light);
  colour = vec4(mix(shaded(fill.rgb, -0.3 + 0.34 * max(0.0, shine)), line.rgb, rim * line.a), fill.a);
}`];

function bodyProgram(/** @type {WebGL2RenderingContext} */ gl, /** @type {string[]} */ sources) {
  const program = /** @type {WebGLProgram} */ (gl.createProgram());
  sources.forEach((source, i) => {
    const shader = /** @type {WebGLShader} */ (gl.createShader(i ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER));
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error(gl.getShaderInfoLog(shader) ?? "a shader was not understood");
    gl.attachShader(program, shader);
  });
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(program) ?? "shaders do not fit together");
  const /** @type {Map<string, WebGLUniformLocation | null>} */ known = new Map();
  const at = (/** @type {string} */ name) => { if (!known.has(name)) known.set(name, gl.getUniformLocation(program, name)); return known.get(name) ?? null; };
  return { program, at };
}

/** A vertex buffer with its attribute layout. Each row is repeated for `corners` vertices, which shaders distinguish by gl_VertexID (instancing
 * small shapes is slow on many cards). @param {WebGL2RenderingContext} gl @param {number[]} sizes @param {number} corners */
function bodyBuffer(gl, sizes, corners) {
  const array = gl.createVertexArray(), buffer = gl.createBuffer(), width = sizes.reduce((sum, n) => sum + n, 0);
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  let offset = 0;
  sizes.forEach((n, i) => {
    gl.enableVertexAttribArray(i);
    gl.vertexAttribPointer(i, n, gl.FLOAT, false, 4 * width, 4 * offset);
    offset += n;
  });
  const buffered = { array, corners: 0, fill: (/** @type {number[]} */ numbers) => {
    const all = new Float32Array(numbers.length * corners);
    for (let row = 0, to = 0; row < numbers.length; row += width)
      for (let corner = 0; corner < corners; corner++) for (let i = 0; i < width; i++) all[to++] = numbers[row + i];
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, all, gl.DYNAMIC_DRAW);
    buffered.corners = all.length / width;
  } };
  return buffered;
}

/** The WebGL resources, rebuilt when the browser has lost the context. @param {WebGL2RenderingContext} gl */
function bodyScene(gl) {
  const programs = { faces: bodyProgram(gl, BODY_FACES), edges: bodyProgram(gl, BODY_EDGES), balls: bodyProgram(gl, BODY_BALLS), necks: bodyProgram(gl, BODY_NECKS) };
  const buffers = { faces: bodyBuffer(gl, [3, 3, 1], 1), edges: bodyBuffer(gl, [3, 3, 1], 6), balls: bodyBuffer(gl, [3, 1], 6), necks: bodyBuffer(gl, [3, 3, 1], 6 * BODY.sides) };
  const looks = gl.createTexture(), numbers = gl.createFramebuffer(), [colours, depths] = [gl.createRenderbuffer(), gl.createRenderbuffer()];
  let [wide, high] = [0, 0];

  function fill(/** @type {Skins} */ skins) {
    const triangles = [];
    for (const [glass, faces] of /** @type {[number, ShownFace[]][]} */ ([[0, skins.faces], [1, skins.glass]])) for (const { piece, corners, normal } of faces)
      for (let i = 2; i < corners.length; i++) for (const p of [corners[0], corners[i - 1], corners[i]]) triangles.push(...p, ...normal, 2 * piece + glass);
    buffers.faces.fill(triangles);
    buffers.edges.fill(skins.edges);
    buffers.balls.fill(skins.balls.flatMap(({ piece, at, glass }) => [...at, 2 * piece + Number(glass)]));
    buffers.necks.fill(skins.necks);
  }

  function paint(/** @type {Look[]} */ all) {
    const high = 4 * Math.ceil(all.length / BODY.across), texels = new Float32Array(4 * BODY.across * high);
    all.forEach(({ move, spin, glass, colour, alpha, line, lineAlpha }, n) => [[...move, Number(glass)], [...colour, alpha], [...line, lineAlpha], spin].forEach((texel, row) =>
      texels.set(texel, 4 * ((n % BODY.across) + BODY.across * (4 * Math.floor(n / BODY.across) + row)))));
    gl.bindTexture(gl.TEXTURE_2D, looks);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, BODY.across, high, 0, gl.RGBA, gl.FLOAT, texels);
    for (const which of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, which, gl.NEAREST);
  }

  /** @param {"faces" | "edges" | "balls" | "necks"} name @param {number} pass @param {Record<string, number | number[]>} values */
  function drawOne(name, pass, values) {
    const { program, at } = programs[name], { array, corners } = buffers[name];
    if (!corners) return;
    gl.useProgram(program);
    for (const [key, value] of Object.entries(values)) {
      if (typeof value === "number") gl.uniform1f(at(key), value);
      else if (value.length === 2) gl.uniform2fv(at(key), value);
      else if (value.length === 3) gl.uniform3fv(at(key), value);
      else gl.uniformMatrix3fv(at(key), false, value);
    }
    gl.uniform1i(at("pass"), pass);
    gl.uniform1i(at("looks"), 0);
    gl.bindVertexArray(array);
    gl.drawArrays(gl.TRIANGLES, 0, corners);
  }

  function drawAll(/** @type {number} */ pass, /** @type {Record<string, number | number[]>} */ values) {
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
    gl.depthMask(pass !== 1);
    if (pass === 1) gl.enable(gl.BLEND); else gl.disable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ZERO, gl.ONE);
    gl.bindTexture(gl.TEXTURE_2D, looks);
    if (pass === 1) gl.disable(gl.POLYGON_OFFSET_FILL); else gl.enable(gl.POLYGON_OFFSET_FILL); // push faces behind their edges and behind coplanar glass
    gl.polygonOffset(1.2, 2);
    drawOne("faces", pass, values);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.disable(gl.CULL_FACE);
    if (pass === 0) gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE);
    drawOne("balls", pass, values);
    gl.disable(gl.SAMPLE_ALPHA_TO_COVERAGE);
    if (pass !== 1) drawOne("necks", pass, values);
    if (pass !== 2) drawOne("edges", pass, values);
  }

  /** Render, for each pixel from the bottom row up, the number of the piece (from 1; 0: none), with a hash of the face or ball in the bits above 16. @param {number} w @param {number} h @param {Record<string, number | number[]>} values */
  function numbered(w, h, values) {
    gl.bindFramebuffer(gl.FRAMEBUFFER, numbers);
    if (wide !== w || high !== h) {
      [wide, high] = [w, h];
      for (const [buffer, format, place] of /** @type {[WebGLRenderbuffer, number, number][]} */ ([[colours, gl.RGBA8, gl.COLOR_ATTACHMENT0], [depths, gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]])) {
        gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
        gl.renderbufferStorage(gl.RENDERBUFFER, format, w, h);
        gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
      }
    }
    gl.viewport(0, 0, w, h);
    gl.clearColor(0, 0, 0, 0);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    drawAll(2, values);
    const raw = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, raw);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return Int32Array.from({ length: w * h }, (_, i) => raw[4 * i] + 256 * raw[4 * i + 1] + 65536 * raw[4 * i + 2]);
  }

  function draw(/** @type {Vector} */ ground, /** @type {Record<string, number | number[]>} */ values) {
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(...ground, 1);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    drawAll(0, values);
    drawAll(1, values);
  }

  return { fill, paint, draw, numbered };
}

// ------------------------------------------------------------------ names

/** For each piece (the lower 16 bits of a number), the pixel farthest from all other numbers, and its distance. @param {Int32Array} numbers @param {number} w @param {number} h */
function roomiest(numbers, w, h) {
  const far = new Float32Array(w * h), /** @type {Map<number, {x: number, y: number, room: number}>} */ best = new Map();
  const step = (/** @type {number} */ i, /** @type {number} */ x, /** @type {number} */ y, /** @type {[number, number, number][]} */ from) => {
    for (const [dx, dy, cost] of from) {
      const inside = x + dx >= 0 && x + dx < w && y + dy >= 0 && y + dy < h, j = i + dx + dy * w;
      far[i] = Math.min(far[i], inside && numbers[j] === numbers[i] ? far[j] + cost : 0.5);
    }
  };
  far.fill(1e9); // chamfer distance with steps 1 and 1.4 (Borgefors, Distance transformations in digital images, 1986)
  for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) step(x + y * w, x, y, [[-1, 0, 1], [0, -1, 1], [-1, -1, 1.4], [1, -1, 1.4]]);
  for (let y = h - 1; y >= 0; y--) for (let x = w - 1; x >= 0; x--) {
    const i = x + y * w;
    step(i, x, y, [[1, 0, 1], [0, 1, 1], [1, 1, 1.4], [-1, 1, 1.4]]);
    const piece = numbers[i] & 0xffff;
    if (piece && far[i] > (best.get(piece)?.room ?? 0)) best.set(piece, { x, y, room: far[i] });
  }
  return best;
}

// ------------------------------------------------------------------ the bodies on a canvas

/** Show pieces on a canvas that mouse, touch and keys can turn; null if WebGL2 does not work in this browser.
 *
 * Drag to turn; use two fingers or the wheel to zoom; drag with shift or the right button to pan; arrow keys turn, + and - zoom, 0 resets.
 * @param {HTMLCanvasElement} canvas @param {Solid} solid @param {BodiesOptions} options */
export function makeBodies(canvas, solid, options) {
  const context = canvas.getContext("webgl2", { antialias: true, alpha: false });
  if (!context) return null;
  const gl = context, placed = placedAtoms(solid), start = [0, 1, 2].map((j) => /** @type {Vector} */ (solid.view.map((row) => (j === 1 ? -row[j] : row[j]))));
  const light = /** @type {Vector} */ ([solid.light[0], -solid.light[1], solid.light[2]]), dark = matchMedia("(prefers-color-scheme: dark)");
  let /** @type {ReturnType<typeof bodyScene>} */ scene;
  try { scene = bodyScene(gl); } catch (error) { console.warn(error); return null; } // the context exists, but its shaders do not compile
  let turn = start, zoom = 1, pan = [0, 0], share = 0, radius = 1, frameRequest = 0, settling = 0, lost = false;
  let /** @type {Piece[]} */ pieces = [], /** @type {Vector[]} */ shifts = [], /** @type {Quaternion[]} */ spins = [], /** @type {Skins} */ skins = { faces: [], glass: [], edges: [], balls: [], necks: [] };
  let /** @type {[number, number] | null} */ range = null, /** @type {Set<Piece> | null} */ chosen = null, /** @type {Label[]} */ labels = [];
  const names = document.createElement("div"), ending = new AbortController(), { signal } = ending;
  names.setAttribute("aria-hidden", "true");
  Object.assign(names.style, { position: "absolute", inset: "0", overflow: "hidden", pointerEvents: "none" });
  canvas.after(names);
  if (canvas.parentElement && getComputedStyle(canvas.parentElement).position === "static") canvas.parentElement.style.position = "relative";
  Object.assign(canvas.style, { touchAction: "none", cursor: "grab" });
  for (const [key, value] of [["tabindex", "0"], ["role", "application"], ["aria-label", options.label]]) canvas.setAttribute(key, value);

  // ---------------------------------------------------------------- scene

  const isGlass = (/** @type {Piece} */ piece) => chosen !== null && !chosen.has(piece);
  const above = (/** @type {number} */ a) => range !== null && (placed.layer[a] < range[0] || placed.layer[a] > range[1]);

  function show(/** @type {Piece[]} */ some) {
    const known = new Map(pieces.map((piece, i) => [`${piece.name} ${piece.atoms}`, labels[i]]));
    pieces = some;
    chosen = null;
    moveApart();
    labels = pieces.map((piece) => known.get(`${piece.name} ${piece.atoms}`) ?? newLabel(piece)); // a piece that stays keeps its label
    names.replaceChildren(...labels.map(({ place }) => place));
    rebuild();
  }

  /** @param {Piece} piece @returns {Label} */
  function newLabel(piece) {
    const place = document.createElement("span");
    Object.assign(place.style, { position: "absolute", left: "0", top: "0", whiteSpace: "nowrap", font: "600 14px/1 system-ui, sans-serif", willChange: "transform" });
    place.textContent = piece.name;
    place.hidden = true;
    return { place, anchor: null, normal: [0, 0, 1], size: 0 };
  }

  /** Compute the translations of the exploded view, if it is active. */
  function moveApart() {
    const moving = share ? pieces.filter((piece) => piece.atoms.length) : [], moves = moving.length ? apartBy(solid, placed.middles, moving.map((piece) => piece.atoms)) : [];
    shifts = pieces.map((piece) => (moving.includes(piece) ? moves[moving.indexOf(piece)] : [0, 0, 0]));
    spins = pieces.map(() => STILL);
  }

  /** The current position of a point of a piece. @param {number} i the piece @param {Vector} point */
  const placeOf = (i, point) => plus3(spun3(spins[i], point), shifts[i], share);

  function rebuild() {
    const covered = new Set(pieces.flatMap((piece) => piece.atoms));
    const free = options.bare ? [] : solid.atoms.map((_, a) => a).filter((a) => !covered.has(a) && !above(a));
    skins = skinsOf(solid, placed, pieces, above);
    const empty = { faces: [], glass: [], edges: /** @type {number[]} */ ([]), balls: /** @type {ShownBall[]} */ ([]), necks: [] }, /** @type {Set<string>} */ sides = new Set();
    for (const a of free) { // all edges of empty atoms, without repetition
      if (solid.radius) empty.balls.push({ piece: pieces.length, atom: a, at: placed.middles[a], glass: false });
      for (const [corners] of placed.kindOf(a).faces) corners.forEach((c, i) => {
        const [p, q] = [placed.corners[a][c], placed.corners[a][corners[(i + 1) % corners.length]]].sort((x, y) => x - y), key = `${p} ${q}`;
        if (!sides.has(key)) empty.edges.push(...placed.points[p], ...placed.points[q], 2 * pieces.length);
        sides.add(key);
      });
    }
    if (!lost) scene.fill({ ...skins, edges: skins.edges.concat(empty.edges), balls: skins.balls.concat(empty.balls) });
    repaint();
  }

  function repaint() {
    const ground = brightness(groundOf()), outline = rgbOf(BODY.outline), wire = ground > 0.32 ? /** @type {Vector} */ ([0, 0, 0]) : /** @type {Vector} */ ([1, 1, 1]);
    const /** @type {Look[]} */ looks = pieces.map((piece, i) => ({ move: shifts[i], spin: spins[i], colour: rgbOf(piece.colour), alpha: BODY.faint, glass: isGlass(piece),
      line: outline, lineAlpha: isGlass(piece) ? 0.3 : 1 }));
    looks.push({ move: [0, 0, 0], spin: STILL, colour: wire, alpha: 0, glass: true, line: wire, lineAlpha: 0.34 }); // wireframe of the empty atoms
    if (!lost) scene.paint(looks);
    later();
  }

  /** The background colour of the page behind the canvas. */
  function groundOf() {
    for (let /** @type {Element | null} */ node = canvas; node; node = node.parentElement) {
      const [r, g, b, a = 1] = (getComputedStyle(node).backgroundColor.match(/[\d.]+/g) ?? ["0", "0", "0", "0"]).map(Number);
      if (a > 0) return /** @type {Vector} */ ([r / 255, g / 255, b / 255]);
    }
    return /** @type {Vector} */ ([1, 1, 1]);
  }

  // ---------------------------------------------------------------- projection and picking

  /** The distance of the farthest visible point from the centre. */
  function reachOf() {
    let most = 0;
    const reach = (/** @type {number} */ a, /** @type {(point: Vector) => Vector} */ there) => {
      if (solid.radius) most = Math.max(most, length3(there(placed.middles[a])) + solid.radius);
      else for (const c of placed.corners[a]) most = Math.max(most, length3(there(placed.points[c])));
    };
    solid.atoms.forEach((_, a) => reach(a, (point) => point));
    if (share) pieces.forEach((piece, i) => piece.atoms.forEach((a) => reach(a, (point) => placeOf(i, point))));
    return most;
  }

  function values() {
    const [w, h] = [canvas.clientWidth || 1, canvas.clientHeight || 1], focal = BODY.fill * zoom * Math.sqrt(BODY.eye * BODY.eye - 1), least = Math.min(w, h);
    const dense = canvas.width / w, atom = (placed.reach / radius) * zoom * least * 0.5; // radius of an atom in pixels
    const width = Math.max(0.55, Math.min(1, atom / 14)) * dense;
    return { turn: [0, 1, 2].flatMap((j) => turn.map((row) => row[j])), focus: [(focal * least) / w, (focal * least) / h], pan, lift: share, scale: 1 / radius, eye: BODY.eye, light,
      size: [canvas.width, canvas.height], width: BODY.line * width, thin: BODY.thin * width, bias: (0.02 * placed.reach) / radius, radius: solid.radius,
      perPixel: 2 / (focal * least * dense) };
  }

  /** The nearest hit of the ray through a point of the canvas; glass does not count. @param {number} x @param {number} y */
  function cast(x, y) {
    const { focus } = values(), away = [((2 * x) / canvas.clientWidth - 1 - pan[0]) / focus[0], (1 - (2 * y) / canvas.clientHeight - pan[1]) / focus[1]];
    const from = plus3([0, 0, 0], back3(turn, [0, 0, BODY.eye]), radius), towards = back3(turn, [away[0], away[1], -1]);
    const rays = pieces.map((_, i) => ({ eye: spun3(unspun(spins[i]), plus3(from, shifts[i], -share)), to: spun3(unspun(spins[i]), towards) })); // in the coordinates of each piece
    let /** @type {{piece: number, atom: number, normal: Vector, at: Vector} | null} */ found = null, nearest = Infinity;
    const see = (/** @type {number} */ piece, /** @type {number} */ atom, /** @type {number} */ t, /** @type {(at: Vector) => Vector | null} */ normalAt) => {
      if (!(t > 0 && t < nearest)) return;
      const at = plus3(rays[piece].eye, rays[piece].to, t), normal = normalAt(at);
      if (normal) [found, nearest] = [{ piece, atom, normal, at }, t];
    };
    for (const { piece, atom, corners, normal } of skins.faces) {
      const { eye, to } = rays[piece], along = dot3(normal, to);
      if (along >= 0 || isGlass(pieces[piece])) continue;
      see(piece, atom, dot3(normal, plus3(corners[0], eye, -1)) / along, (at) =>
        (corners.every((p, i) => dot3(normal, cross3(plus3(corners[(i + 1) % corners.length], p, -1), plus3(at, p, -1))) >= -1e-9) ? normal : null));
    }
    for (const { piece, atom, at, glass } of skins.balls) {
      if (glass || isGlass(pieces[piece])) continue;
      const { eye, to } = rays[piece], off = plus3(at, eye, -1), squared = dot3(to, to), along = dot3(off, to) / squared, gap = along * along - (dot3(off, off) - solid.radius ** 2) / squared;
      if (gap > 0) see(piece, atom, along - Math.sqrt(gap), (p) => plus3([0, 0, 0], plus3(p, at, -1), 1 / solid.radius));
    }
    return /** @type {{piece: number, atom: number, normal: Vector, at: Vector} | null} */ (found);
  }

  /** The piece and the atom at a point of the canvas, in pixels from its top left. @param {number} x @param {number} y @returns {Hit | null} */
  function pick(x, y) {
    const hit = cast(x, y);
    return hit && { piece: pieces[hit.piece], atom: hit.atom };
  }

  function later() {
    if (!frameRequest) frameRequest = requestAnimationFrame(frame);
    clearTimeout(settling);
    settling = window.setTimeout(findRoom, BODY.settle);
  }

  function frame() {
    frameRequest = 0;
    if (lost || !canvas.isConnected || !canvas.clientWidth) return;
    const dense = Math.min(devicePixelRatio || 1, 2), [w, h] = [Math.round(canvas.clientWidth * dense), Math.round(canvas.clientHeight * dense)];
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    radius = reachOf();
    scene.draw(groundOf(), values());
    moveNames();
  }

  function moveNames() {
    const { focus } = values(), { clientWidth, clientHeight } = canvas; // read before any write: one layout pass is enough
    labels.forEach(({ place, anchor, normal, size }, i) => {
      const facing = turned3(turn, spun3(spins[i], normal)), seen = anchor && !isGlass(pieces[i]) && facing[2] > 0.05;
      place.hidden = !seen;
      if (!seen || !anchor) return;
      const v = turned3(turn, placeOf(i, anchor)).map((c) => c / radius), w = BODY.eye - v[2];
      const [x, y] = [(0.5 + 0.5 * ((v[0] * focus[0]) / w + pan[0])) * clientWidth, (0.5 - 0.5 * ((v[1] * focus[1]) / w + pan[1])) * clientHeight], fill = rgbOf(pieces[i].colour), by = solid.radius ? -0.12 : 0.75 * (Math.max(0, dot3(facing, light)) - 0.62);
      place.style.fontSize = `${size.toFixed(1)}px`;
      place.style.color = brightness(/** @type {Vector} */ (fill.map((c) => c + ((by > 0 ? 1 : 0) - c) * Math.abs(by)))) > 120 / 255 ? "#000" : "#fff";
      place.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%)`;
    });
  }

  /** Put each name at the widest visible part of its piece. */
  function findRoom() {
    if (lost || !canvas.clientWidth || !canvas.isConnected) return;
    const scale = Math.min(1, BODY.labels / Math.max(canvas.clientWidth, canvas.clientHeight)), [w, h] = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(1, Math.round(x * scale)));
    const best = roomiest(scene.numbered(w, h, values()), w, h);
    labels.forEach((label, i) => {
      const spot = best.get(i + 1), hit = spot && cast((spot.x + 0.5) / scale, canvas.clientHeight - (spot.y + 0.5) / scale);
      label.size = spot ? Math.min(BODY.largest, (1.7 * spot.room) / scale / Math.hypot(0.66 * pieces[i].name.length, 0.75)) : 0;
      label.anchor = hit && hit.piece === i && label.size >= BODY.smallest ? hit.at : null;
      if (hit) label.normal = hit.normal;
    });
    moveNames();
  }

  // ---------------------------------------------------------------- turning

  /** Turn about an axis in view coordinates (right, up, towards the eye). @param {Vector} axis @param {number} degrees */
  function turnBy(axis, degrees) {
    const [s, c, size] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180), length3(axis) || 1], unit = plus3([0, 0, 0], axis, 1 / size);
    const columns = [0, 1, 2].map((j) => { // Rodrigues' formula for each column
      const p = /** @type {Vector} */ (turn.map((row) => row[j]));
      return plus3(plus3(plus3([0, 0, 0], p, c), cross3(unit, p), s), unit, dot3(unit, p) * (1 - c));
    });
    const right = plus3([0, 0, 0], /** @type {Vector} */ (columns.map((p) => p[0]))), up = /** @type {Vector} */ (columns.map((p) => p[1]));
    const first = plus3([0, 0, 0], right, 1 / length3(right)), straight = plus3(up, first, -dot3(first, up)), second = plus3([0, 0, 0], straight, 1 / length3(straight));
    turn = [first, second, cross3(first, second)]; // orthonormalised against rounding errors
    later();
  }

  /** Zoom about a fixed point of the canvas (coordinates from -1 to 1). @param {number} by @param {number[]} [at] */
  function zoomBy(by, at = [0, 0]) {
    const to = Math.min(BODY.most, Math.max(1, zoom * by)), ratio = to / zoom;
    pan = pan.map((x, i) => Math.min(to - 1, Math.max(1 - to, at[i] + (x - at[i]) * ratio)));
    zoom = to;
    later();
    return ratio !== 1;
  }

  function moveBy(/** @type {number} */ x, /** @type {number} */ y) {
    pan = [pan[0] + (2 * x) / canvas.clientWidth, pan[1] - (2 * y) / canvas.clientHeight].map((p) => Math.min(zoom - 1, Math.max(1 - zoom, p)));
    later();
  }

  /** Set the view: rows to the right, up and towards the eye; the default is the view of the pictures. @param {Vector[] | null} [rows] */
  function turnTo(rows = null) {
    [turn, zoom, pan] = [rows ?? start, 1, [0, 0]];
    later();
  }

  const /** @type {Map<number, [number, number]>} */ fingers = new Map();
  let travelled = 0;
  const onto = (/** @type {MouseEvent} */ event) => /** @type {[number, number]} */ ([event.clientX - canvas.getBoundingClientRect().left, event.clientY - canvas.getBoundingClientRect().top]);
  const within = ([x, y] = [0, 0]) => [(2 * x) / canvas.clientWidth - 1, 1 - (2 * y) / canvas.clientHeight];

  canvas.addEventListener("pointerdown", (event) => {
    if (!fingers.size) travelled = 0;
    fingers.set(event.pointerId, onto(event));
    canvas.setPointerCapture(event.pointerId);
    canvas.style.cursor = "grabbing";
  }, { signal });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId), now = onto(event);
    if (!before) return;
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]], other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    travelled += Math.hypot(dx, dy);
    fingers.set(event.pointerId, now);
    if (other) {
      const [was, is] = [before, now].map((p) => [p[0] - other[0], p[1] - other[1]]);
      zoomBy(Math.hypot(is[0], is[1]) / (Math.hypot(was[0], was[1]) || 1), within([(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]));
      moveBy(dx / 2, dy / 2);
      turnBy([0, 0, 1], ((Math.atan2(was[1], was[0]) - Math.atan2(is[1], is[0])) * 180) / Math.PI);
    } else if (event.shiftKey || event.buttons & 2) moveBy(dx, dy);
    else if (travelled > BODY.click) turnBy([dy, dx, 0], (Math.hypot(dx, dy) / Math.min(canvas.clientWidth, canvas.clientHeight)) * 200);
  }, { signal });
  for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) canvas.addEventListener(end, (event) => {
    if (fingers.delete(event.pointerId) && end === "pointerup" && !fingers.size && travelled <= BODY.click && event.button === 0) options.onclick?.(pick(...onto(event)));
    if (!fingers.size) canvas.style.cursor = "grab";
  }, { signal });
  canvas.addEventListener("contextmenu", (event) => { if (travelled > BODY.click) event.preventDefault(); }, { signal });
  canvas.addEventListener("wheel", (event) => { // at the smallest zoom the wheel scrolls the page
    if (zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.03 : 0.0015)), within(onto(event)))) event.preventDefault();
  }, { signal, passive: false });
  canvas.addEventListener("keydown", (event) => {
    const axis = { ArrowLeft: [0, -1, 0], ArrowRight: [0, 1, 0], ArrowUp: [-1, 0, 0], ArrowDown: [1, 0, 0] }[event.key], size = { "+": 1.25, "=": 1.25, "-": 0.8 }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (axis) turnBy(/** @type {Vector} */ (axis), BODY.step);
    else if (size) zoomBy(size);
    else if (event.key === "0" || event.key === "Home") turnTo();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }, { signal });
  canvas.addEventListener("webglcontextlost", (event) => { event.preventDefault(); lost = true; }, { signal });
  canvas.addEventListener("webglcontextrestored", () => { lost = false; scene = bodyScene(gl); rebuild(); }, { signal });
  dark.addEventListener("change", repaint, { signal });
  const sized = new ResizeObserver(later);
  sized.observe(canvas);
  show([]);

  return {
    show, pick, turnTo, turnBy, zoomBy,
    /** Move pieces apart, from 0 (assembled) to 1 (as in the exploded pictures). @param {number} apart */
    lift(apart) {
      const known = share > 0;
      share = apart;
      if (!known) moveApart();
      repaint();
    },
    /** Show pieces, each turned about the middle of the cell at the origin and moved by steps of the lattice, or by fractions of a step.
     * @param {Piece[]} some @param {{by: number[], turn: number[]}[]} poses */
    place(some, poses) {
      share = 0; // the poses replace the exploded view
      if (some.length !== pieces.length || some.some((piece, i) => piece !== pieces[i])) show(some);
      spins = poses.map(({ turn }) => /** @type {Quaternion} */ (turn));
      shifts = poses.map(({ by }, i) => plus3(plus3(back3(solid.basis, /** @type {Vector} */ (by)), placed.origin), spun3(spins[i], placed.origin), -1));
      share = 1;
      repaint();
    },
    /** Show the layers of a range, counted from 0, and the other layers as glass; null shows all. @param {[number, number] | null} shown */
    layers(shown) { range = shown; rebuild(); },
    /** Show all other pieces as glass; null shows all again. @param {Piece[] | null} some */
    highlight(some) { chosen = some && new Set(some); repaint(); },
    destroy() {
      ending.abort();
      sized.disconnect();
      cancelAnimationFrame(frameRequest);
      clearTimeout(settling);
      names.remove();
      gl.getExtension("WEBGL_lose_context")?.loseContext();
    },
  };
}
