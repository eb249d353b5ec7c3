"""The page as static files that anyone can open: what is known of a puzzle is written beforehand, a worker counts in the browser."""
