// The first script of the page: what its other scripts add to, and how they are loaded when they are wanted. A script works where a module or a fetch would not: in a page that is opened from disk.
Object.assign(globalThis.puzzlesat, {
  modules: {},
  puzzles: {}, // packed, by name
  pictures: {}, // the same
  engine: null,
  laying: "", // what the worker lays drawn puzzles with
  /** Load a script of this site. */
  load: (address) => new Promise((loaded, failed) => {
    const script = document.createElement("script");
    script.addEventListener("load", () => loaded());
    script.addEventListener("error", () => (script.remove(), failed(new Error(address))));
    script.src = address;
    document.head.append(script);
  }),
  /** A module that is wanted later. */
  later: async (name) => {
    const { modules, bundles, load } = globalThis.puzzlesat;
    if (!modules[name] && Object.hasOwn(bundles, name)) await load(bundles[name]);
    return modules[name];
  },
});
