import puzzlesat


def langford(n):
    """Return Langford's problem: each option puts the pair k at two places."""
    options = {(k, at): [f"pair {k}", at, at + k + 1] for k in range(1, n + 1) for at in range(1, 2 * n - k)}
    return puzzlesat.cover(options, name=f"Langford's problem for {n} pairs")


problem = langford(3)
print(puzzlesat.count(problem).sentence)
for solution in puzzlesat.solve(problem):
    print(*solution.names)
for n in (4, 7):
    print(n, puzzlesat.count(langford(n)).counts.all)
