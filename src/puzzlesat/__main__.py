"""``python -m puzzlesat``."""

from puzzlesat.cli.main import app

if __name__ == "__main__":
    app()
