// The symmetries of a puzzle: where each takes the options, and what that makes of solutions.

/** @typedef {{names: string[], own: number[][], made: [number, number][], order: number[]}} SymmetryData as ``symmetries_as_json`` in cover.py writes it */

export class Symmetries {
  /** @param {number} size how many options there are @param {SymmetryData} [data] */
  constructor(size, { names, own, made, order } = { names: [], own: [], made: [], order: [] }) {
    const found = [Int32Array.from({ length: size }, (_, option) => option)], generators = own.map((steps) => summed(steps));
    for (const [before, i] of made) found.push(found[before].map((option) => generators[i][option]));
    /** @type {Int32Array[]} for each symmetry the option to which it takes each option, the identity first */
    this.images = [found[0]];
    order.forEach((number, i) => (this.images[number] = found[i + 1]));
    this.names = ["identity", ...names];
    this.there = new Uint8Array(size);
  }

  get number() {
    return this.images.length;
  }

  /** Some of the symmetries. @param {(image: Int32Array) => boolean} keep which */
  those(keep) {
    const kept = this.images.map(keep), some = new Symmetries(this.there.length);
    return Object.assign(some, { images: this.images.filter((_, i) => kept[i]), names: this.names.filter((_, i) => kept[i]) });
  }

  /** How many of some symmetries leave a solution unchanged. @param {ArrayLike<number>} options @param {number} [length] of the solution @param {Int32Array[]} [images] */
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

  /** The least of a solution and its images, which stands for all of them. @param {Int32Array} options in ascending order */
  least(options) {
    let best = options;
    for (const image of this.images) {
      const moved = options.map((option) => image[option]).sort();
      if (before(moved, best)) best = moved;
    }
    return best;
  }

  /** Whether no image of a solution that contains some options comes before it. @param {Int32Array} options @param {number[]} given */
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

/** Whether the first number in which two rows differ is less in the first one. @param {Int32Array} one @param {Int32Array} other */
export function before(one, other) {
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return one[i] < (other[i] ?? -1);
  return one.length < other.length;
}
