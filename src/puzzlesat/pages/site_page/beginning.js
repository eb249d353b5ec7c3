// The first script of the page: the registry that other scripts fill, and their loader. Scripts also work in a page opened from disk, where modules and fetch fail.
Object.assign(globalThis.puzzlesat, {
  modules: {},
  puzzles: {}, // Packed puzzles by name.
  pictures: {}, // Packed pictures by name.
  engine: null,
  laying: "", // The worker's script for drawn puzzles.
  /** Load a script of this site. */
  load: (address) => new Promise((loaded, failed) => {
    const script = document.createElement("script");
    script.addEventListener("load", () => loaded());
    script.addEventListener("error", () => (script.remove(), failed(new Error(address))));
    script.src = address;
    document.head.append(script);
  }),
  /** Load a module on demand. */
  later: async (name) => {
    const { modules, bundles, load } = globalThis.puzzlesat;
    if (!modules[name] && Object.hasOwn(bundles, name)) await load(bundles[name]);
    return modules[name];
  },
});
