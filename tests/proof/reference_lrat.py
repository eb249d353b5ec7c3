"""A slow LRAT checker written from the definition, to judge the fast one; RUP steps only."""

import re


def refutes(clauses, variables, data):
    """Return whether the bytes are a refutation of the clauses, each a list of literals."""
    known = {number: set(clause) for number, clause in enumerate(clauses, start=1)}
    if set() in known.values():
        return True
    last = len(clauses)
    try:
        for step in binary_steps(data) if data[:1] in (b"a", b"d") else text_steps(data):
            if step[0] == "d":
                for number in step[1]:
                    del known[number]
                continue
            _, number, literals, hints = step
            if number <= last or any(not 1 <= abs(x) <= variables for x in literals) or any(-x in literals for x in literals):
                return False
            if min(hints, default=1) < 1 or not is_implied(known, literals, hints):
                return False
            known[number] = set(literals)
            last = number
            if not literals:
                return True
    except (KeyError, IndexError, ValueError):
        pass
    return False


def is_implied(known, literals, hints):
    """Return whether the hints lead from the negation of a clause to a contradiction."""
    true = {-x for x in literals}
    for hint in hints:
        left = [x for x in known[hint] if -x not in true]
        if not left:
            return True
        if len(left) > 1:
            return False
        true.add(left[0])
    return False


def text_steps(data):
    """Yield ("a", number, literals, hints) or ("d", numbers) of a text."""
    for line in data.decode("ascii").split("\n"):
        words = line.split()
        if not words or line.strip().startswith("c"):
            continue
        if not all(re.fullmatch(r"-?\d+|d", word) for word in words):
            raise ValueError
        if words[1] == "d":
            yield step_of([*words[2:]], "d", 0)
        else:
            yield step_of(words[1:], "a", int(words[0]))


def step_of(words, kind, number):
    """Return the step after its number. It must have the required number of zeros, the last one at the end."""
    numbers = [int(word) for word in words]
    zeros = [k for k, x in enumerate(numbers) if x == 0]
    if len(zeros) != (1 if kind == "d" else 2) or zeros[-1] != len(numbers) - 1:
        raise ValueError
    return ("d", numbers[:-1]) if kind == "d" else ("a", number, numbers[: zeros[0]], numbers[zeros[0] + 1 : -1])


def binary_steps(data):
    """Yield the same from the binary format."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while data[at] & 128:
            value |= (data[at] & 127) << shift
            shift += 7
            at += 1
        value |= data[at] << shift
        at += 1
        return -(value >> 1) if value & 1 else value >> 1

    def numbers():
        found = []
        while x := number():
            found.append(x)
        return found

    while at < len(data):
        kind = data[at : at + 1]
        at += 1
        if kind == b"a":
            yield ("a", number(), numbers(), numbers())
        elif kind == b"d":
            yield ("d", numbers())
        else:
            raise ValueError
