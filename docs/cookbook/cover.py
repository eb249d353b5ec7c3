import puzzlesat


def langford(n):
    """Return Langford's problem for n pairs as the tables of a file."""
    ways = {k: [f"{at},1 {at + k + 1},1" for at in range(1, 2 * n - k)] for k in range(1, n + 1)}
    tiles = {str(k): {"placements": ways[k]} for k in ways}
    return {"title": f"Langford's problem for {n} pairs", "grid": "square", "flips": True, "tiles": tiles, "form": {"box": [2 * n, 1]}}


for n in (3, 4, 7):
    print(n, puzzlesat.count(langford(n)).counts.distinct)
