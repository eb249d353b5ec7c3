"""Words that made texts hard to read, and are not to come back: indirect verbs, and pronouns without a noun."""

from __future__ import annotations

import re

AVOIDED = re.compile(
    r"\b(is said|are said|stands?|goes by|goes? on|whoever|what is ended|that there is not|none of ours|as many as wished|so that|so many"
    r"|so long|of those that|may be repeated|may be said|and its like|gibibytes|default: as many|(?<!to )do(?:es)?(?! not\b))\b",
    re.IGNORECASE,
)

CLUMSY = re.compile(
    r"\b(take (?:it|one|them|this|the key|this key) out|leave (?:it|them|one|the key) out|belongs? into|for want of|to be believed|of late"
    r"|went through|gone through|is none;|say (?:it|the name|another|how large))\b",
    re.IGNORECASE,
)
"""The same for messages: pages may use these words, a message has plainer ones."""
