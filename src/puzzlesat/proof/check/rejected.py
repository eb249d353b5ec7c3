"""What the checker raises."""


class Rejected(Exception):
    """A certificate does not prove what it claims; the message says where and why."""
