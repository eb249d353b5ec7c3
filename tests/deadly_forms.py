"""Form generators that kill their process on some forms, in an importable module for worker processes."""

import os
import signal
from pathlib import Path

from puzzlesat.pages.form_sheet import finding_text


def draw(name, once, built, finding):
    """Draw a form. The form ``name`` kills the process; if ``once`` names a folder, only until that folder exists."""
    if built.instance.name == name:
        try:
            if once is not None:
                Path(once).mkdir()
        except FileExistsError:
            return finding_text(built, finding)
        os.kill(os.getpid(), signal.SIGKILL)
    return finding_text(built, finding)


def fail(name, built, finding, error=MemoryError):
    """Draw a form; raise ``error`` for the form ``name``."""
    if built.instance.name == name:
        raise error
    return finding_text(built, finding)
