"""Grids: lattices, their atoms and symmetries, pictures, polyforms and regions."""
