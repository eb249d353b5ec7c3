"""Long runs: many puzzles, or one huge one, in units of work, with one store and any executor.

A study comes in. Answers go to the store as they come, and totals to tables. Begin with ``coordinator``.
"""
