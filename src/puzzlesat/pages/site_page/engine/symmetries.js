// The symmetries of a puzzle as permutations of options, and their action on solutions.

/** @typedef {{names: string[], own: number[][], made: [number, number][], order: number[]}} SymmetryData in the format of ``symmetries_as_json`` in cover.py */

export class Symmetries {
  /** @param {number} size the number of options @param {SymmetryData} [data] */
  constructor(size, { names, own, made, order } = { names: [], own: [], made: [], order: [] }) {
    const found = [Int32Array.from({ length: size }, (_, option) => option)], generators = own.map((steps) => summed(steps));
    for (const [before, i] of made) found.push(found[before].map((option) => generators[i][option]));
    /** @type {Int32Array[]} for each symmetry, the image of each option; the identity comes first */
    this.images = [found[0]];
    order.forEach((number, i) => (this.images[number] = found[i + 1]));
    this.names = ["identity", ...names];
    this.there = new Uint8Array(size);
  }

  get number() {
    return this.images.length;
  }

  /** The subset of symmetries that satisfies a predicate. @param {(image: Int32Array) => boolean} keep */
  those(keep) {
    const mask = this.images.map(keep), some = new Symmetries(this.there.length);
    return Object.assign(some, { images: this.images.filter((_, i) => mask[i]), names: this.names.filter((_, i) => mask[i]) });
  }

  /** Count the symmetries that leave a solution unchanged. @param {ArrayLike<number>} options @param {number} [length] of the solution @param {Int32Array[]} [images] */
  keeping(options, length = options.length, images = this.images) {
    const { there } = this;
    let number = 0;
    for (let i = 0; i < length; i++) there[options[i]] = 1;
    for (const image of images) {
      let i = 0;
      while (i < length && there[image[options[i]]]) i++;
      if (i === length) number++;
    }
    for (let i = 0; i < length; i++) there[options[i]] = 0;
    return number;
  }

  /** The least image of a solution, which represents its class. @param {Int32Array} options in ascending order */
  least(options) {
    let best = options;
    for (const image of this.images) {
      const moved = options.map((option) => image[option]).sort();
      if (before(moved, best)) best = moved;
    }
    return best;
  }

  /** Return whether a solution is least among its images that contain the given options. @param {Int32Array} options @param {number[]} given */
  isLeast(options, given) {
    return this.images.every((image) => {
      const moved = options.map((option) => image[option]).sort();
      return !before(moved, options) || given.some((option) => !moved.includes(option));
    });
  }
}

function summed(/** @type {number[]} */ steps) {
  let sum = 0;
  return Int32Array.from(steps, (step) => (sum += step));
}

/** Compare two rows lexicographically: return whether the first is less. @param {Int32Array} one @param {Int32Array} other */
export function before(one, other) {
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return one[i] < (other[i] ?? -1);
  return one.length < other.length;
}
