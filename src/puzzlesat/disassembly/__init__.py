"""Taking assemblies apart: by which moves pieces, or groups of them, can be slid out of each other."""
