"""How an assembly comes apart, and the verification of its moves.

The bodies of an assembly on a grid come in. Moves go out, or the pieces that hold each other. Begin with ``taking``.
"""
