"""Why a puzzle has no solution, and certificates of counts.

A puzzle comes in. An argument that a person can check goes out (``prove``), or a certificate that ``checker`` accepts (``certify``).
"""
