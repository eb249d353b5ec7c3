"""Rules on solutions as a certificate states them, for the judge of the mutations: on sets of exact points, by exhaustive trial.

Nothing of puzzlesat is imported here.
"""

from itertools import combinations, product

from solution_judge import closure, meeting, ways_to


class StatedRules:
    """The stated rules of a puzzle that have a kind; ``motions`` are its symmetries as functions on shapes and on places of marks."""

    def __init__(self, said, atom, look, motions):
        self.entries = [r for r in said["rules"] if "kind" in r]
        self.atom, self.look, self.motions = atom, look, motions
        self.kinds, self.dimension = [a["kind"] for a in said["atoms"]], len(said["gram"])
        self.names = [t["name"] for t in said["tiles"]]
        self.form = {atom(a) for a in said["required"] + said["optional"]}
        self.faces = {atom(a) for a in said["required"] + said["optional"] if self.kinds[a[-1]] == self.kinds[0]}

    def near(self, face):
        """The faces of the grid that share a side with a face."""
        least = [min(int(v[i] // 1) for v in face) for i in range(self.dimension)]
        cells = product(*(range(x - 2, x + 3) for x in least))
        every = {self.atom([*cell, k]) for cell in cells for k, kind in enumerate(self.kinds) if kind == self.kinds[0]} - {face}
        return {other for other in every if len(other & face) >= (1 if len(face) == 2 else self.dimension)}

    def of(self, rule):
        """The numbers of the tiles of a rule."""
        return {self.names.index(name) for name in rule["tiles"]}

    def pieces(self, rule):
        """The placements that a rule names."""
        return [(p["tile"], self.look(p)) for p in rule["placements"]]

    def allowed(self, placements):
        """The placements that the rules allow."""
        for rule in self.entries:
            own = self.of(rule) if "tiles" in rule else set()
            edge = {a for a in self.faces if not self.near(a) <= self.faces}
            if rule["kind"] == "touch border":
                placements = [p for p in placements if p[0] not in own or p[1][0] & edge]
            if rule["kind"] == "inside":
                placements = [p for p in placements if p[0] not in own or not p[1][0] & edge]
            if rule["kind"] == "holds":
                wanted = {self.atom(a) for a in rule["atoms"]}
                placements = [p for p in placements if p[0] not in own or rule["low"] <= len(p[1][0] & wanted) <= rule["high"]]
            if rule["kind"] == "forbidden":
                placements = [p for p in placements if p not in self.pieces(rule)]
        looks = {look for _, look in placements}
        motions = [self.motions[s] for rule in self.entries if rule["kind"] == "symmetric" for s in rule["symmetries"]]
        return [p for p in placements if _goes_round(motions, p[1], looks)]

    def keep(self, chosen):
        """Return whether a solution, as placements, keeps all rules."""
        return all(self._keeps(rule, chosen) for rule in self.entries)

    def _keeps(self, rule, chosen):
        kind = rule["kind"]
        owner = {a: i for i, (_, (atoms, _)) in enumerate(chosen) for a in atoms}
        points = {v for a in self.faces for v in a}
        round_points = [[a for a in self.faces if v in a] for v in points]
        if kind == "no crossroads":
            return all(len(meeting([(a, ways_to(v, a)) for a in self.faces if v in a], owner)) < 4 for v in points)
        if kind == "fault free":
            return all(any(look[0] & one and look[0] & other for _, look in chosen) for one, other in self.halves())
        if kind == "symmetric":
            looks = {look for _, look in chosen}
            return all({laid(self.motions[s], look) for look in looks} == looks for s in rule["symmetries"])
        if kind == "symmetric outline":
            outline = {a for t, look in chosen if t in self.of(rule) for a in look[0]} & self.faces
            return all(set(map(self.motions[s], outline)) == outline for s in rule["symmetries"])
        if kind == "one of":
            return any(p in chosen for p in self.pieces(rule))
        if kind in ("touch border", "inside", "holds", "forbidden"):
            return True  # ``allowed`` excludes these placements
        pairs = {frozenset(p) for some in round_points for p in combinations(some, 2)} if rule["corners"] else set()
        pairs |= {frozenset((a, b)) for a in self.faces for b in self.near(a) & self.faces}
        met = {frozenset((owner[a], owner[b])) for a, b in map(tuple, pairs) if a in owner and b in owner and owner[a] != owner[b]}
        if kind == "apart":
            return not any(all(chosen[i][0] in self.of(rule) for i in pair) for pair in met)
        colourings = product(range(rule["colours"]), repeat=len(chosen))
        return any(all(len({given[i] for i in pair}) == 2 for pair in met) for given in colourings)

    def halves(self):
        """The faces on both sides of each line through a shared side that cuts no face; in the plane only."""
        found = []
        for one, other in [(face, other) for face in self.faces for other in self.near(face) & self.faces]:
            (p, q), *_, (r, s) = sorted(one & other)
            areas = {f: [(x - p) * (s - q) - (y - q) * (r - p) for x, y in f] for f in self.faces}
            if all(min(area) >= 0 or max(area) <= 0 for area in areas.values()):
                found.append([{f for f, area in areas.items() if max(area) > 0}, {f for f, area in areas.items() if min(area) < 0}])
        return found

    def kept_by(self, image, permutation, placements):
        """Return whether the rules are unchanged by a symmetry: ``image`` of atoms, ``permutation`` of placements."""
        back = {b: a for a, b in image.items()}

        def about(rule, *, moved):
            own = {i for i, p in enumerate(placements) if "tiles" in rule and p[0] in self.of(rule)}
            own |= {placements.index(p) for p in self.pieces(rule) if p in placements} if "placements" in rule else set()
            maps = [{a: self.motions[s](a) for a in self.form} for s in rule.get("symmetries", [])]
            if moved:
                own, maps = {permutation[i] for i in own}, [{a: image[m[back[a]]] for a in m} for m in maps]
            return rule["kind"], rule.get("corners"), frozenset(own), closure(maps)

        late = [rule for rule in self.entries if rule["kind"] not in ("touch border", "inside", "holds", "forbidden")]
        return {about(rule, moved=False) for rule in late} == {about(rule, moved=True) for rule in late}


def laid(motion, look):
    """A look after a motion."""
    return frozenset(map(motion, look[0])), frozenset((motion(side), motion(face), name) for side, face, name in look[1])


def _goes_round(motions, look, looks):
    orbit, rim = {look}, {look}
    while rim:
        rim = {laid(motion, one) for motion in motions for one in rim} - orbit
        orbit |= rim
    return orbit <= looks and all(a[0].isdisjoint(b[0]) for a, b in combinations(orbit, 2))
