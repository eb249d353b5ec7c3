"""What workers do, in units of a fraction of a second: so that a puzzle of seconds has many."""

from puzzlesat.studies import parts, worker


def do(jobs):
    """Do jobs as workers do."""
    parts.UNIT_SECONDS, parts.QUICK_SECONDS, parts.TRIAL_SECONDS = 0.3, 0.1, 0.1
    return worker.do(jobs)
