"""The questions of the page, one module each: ``do(question, tell)`` returns the answer as plain data for JSON, in a worker process.

Errors are raised as in the commands. ``tell`` sends partial results (``studio.telling``).
"""
