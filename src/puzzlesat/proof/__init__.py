"""Proofs that a form cannot be solved, and certificates of counts; ``check`` verifies them and knows nothing of the rest."""
