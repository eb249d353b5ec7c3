"""Answers to the questions of the page: ``answer_X(question, tell)`` returns the answer to question X as plain data for JSON.

The functions run in a worker process. Errors are raised as in the commands. ``tell`` sends partial results (``studio.telling``).
"""
