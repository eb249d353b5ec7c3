"""The errors that the checker raises."""


class Rejected(Exception):
    """A certificate does not prove what it claims. The message tells where and why."""


class TooLarge(Rejected):
    """What it states is beyond a limit of the checker, so that it says nothing about whether that is right."""
