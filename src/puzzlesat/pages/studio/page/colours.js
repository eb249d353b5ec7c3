// Names of colours, for naming pieces by their colour.

const NAMED = Object.entries({
  red: ["#d7263d", "#d55e00", "#bb4444"], orange: ["#e69f00", "#ee7744"], yellow: ["#f0e442", "#cccc55"], green: ["#009e73", "#66aa66", "#2e8b3d"], light_green: ["#88ffaa", "#99eecc"],
  blue: ["#0072b2", "#4466cc", "#5588ee"], light_blue: ["#56b4e9", "#44ccff"], turquoise: ["#77ffff", "#00ddee"], purple: ["#8f2d60", "#992233"], violet: ["#5544aa"], pink: ["#cc79a7", "#ff9988"],
  brown: ["#994400", "#aa7744"], grey: ["#888888", "#bbccaa"], white: ["#ffffff"], black: ["#222222"],
}).flatMap(([name, some]) => some.map((colour) => ({ name, rgb: parts(colour) })));

/** Red, green and blue from 0 to 255. @param {string} colour such as "#0072b2" */
export function parts(colour) {
  return [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
}

/** The shades of a colour for the copies of a piece, mixed with white or black. @param {string} colour */
export const shadesOfColour = (colour) => [0, 0.45, -0.35, 0.7, -0.6].map((share) =>
  `#${parts(colour).map((x) => Math.round(x + ((share > 0 ? 255 : 0) - x) * Math.abs(share)).toString(16).padStart(2, "0")).join("")}`);

/** The name of the nearest named colour. @param {string} colour such as "#0072b2" */
export function colourName(colour) {
  const own = parts(colour), away = (/** @type {number[]} */ rgb) => rgb.reduce((sum, x, i) => sum + [3, 4, 2][i] * (x - own[i]) ** 2, 0);
  return NAMED.reduce((best, candidate) => (away(candidate.rgb) < away(best.rgb) ? candidate : best)).name;
}
