"""Pictures of puzzles, solutions, arguments and assemblies: text, SVG, PNG, and meshes to be printed."""
