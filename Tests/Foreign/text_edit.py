# SPDX-License-Identifier: Apache-2.0
"""Edits of two-way texts, as Wire.md defines them.

An edit is a list of components [position, deleted, inserted]. Inside of this module a text is a `str` with one
character for each UTF-16 unit, so that positions are plain indices; `to_units` and `from_units` convert.
"""


def to_units(text):
    """The text with surrogate pairs as two characters."""
    data = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(data[i] | data[i + 1] << 8) for i in range(0, len(data), 2))


def from_units(units):
    """The text with surrogate pairs joined."""
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def edit_to_units(edit):
    return [[position, deleted, to_units(text)] for position, deleted, text in edit]


def edit_from_units(edit):
    return [[position, deleted, from_units(text)] for position, deleted, text in edit]


def apply(edit, text):
    """The text after the edit."""
    result, end = [], 0
    for position, deleted, inserted in edit:
        result += [text[end:position], inserted]
        end = position + deleted
    return "".join(result) + text[end:]


def normalized(edit):
    """The edit without empty components, and with those joined that touch: as two, if it only looks like a substitution."""
    runs = []
    for position, deleted, inserted in edit:
        if not deleted and not inserted:
            continue
        if not runs or runs[-1][0] + runs[-1][1] != position:
            runs.append([position, 0, "", True])
        run = runs[-1]
        runs[-1] = [run[0], run[1] + deleted, run[2] + inserted, run[3] and deleted == len(inserted)]
    result = []
    for position, deleted, inserted, is_substitution in runs:
        if deleted == len(inserted) and not is_substitution:
            result += [[position, 0, inserted], [position, deleted, ""]]
        else:
            result.append([position, deleted, inserted])
    return result


def _is_deleted(start, end, other):
    """Whether a component that is no substitution deletes the whole range."""
    return any(p <= start and end <= p + d and len(text) != d for p, d, text in other)


def _pieces(edit, other):
    """The components, with substitutions cut at the edges of the other edit's components, without the parts that it deletes."""
    edges = sorted({edge for position, deleted, _ in other for edge in (position, position + deleted)})
    result = []
    for position, deleted, inserted in edit:
        if deleted == 0 or len(inserted) != deleted:
            result.append([position, deleted, inserted])
            continue
        start, text_start = position, 0
        for edge in [e for e in edges if position < e < position + deleted]:
            cut = edge - position
            if 0xDC00 <= ord(inserted[cut]) < 0xE000 and 0xD800 <= ord(inserted[cut - 1]) < 0xDC00:
                cut -= 1
            cut = max(cut, text_start)
            if cut - text_start != edge - start or not _is_deleted(start, edge, other):
                result.append([start, edge - start, inserted[text_start:cut]])
            start, text_start = edge, cut
        end = position + deleted
        if deleted - text_start != end - start or not _is_deleted(start, end, other):
            result.append([start, end - start, inserted[text_start:]])
    return result


def _rebased(mine, theirs, wins_ties):
    """My pieces, to apply after theirs."""

    def deleted_before(place):
        return sum(max(0, min(p + d, place) - p) for p, d, _ in theirs)

    def precedes(their, my):
        if their[0] != my[0]:
            return their[0] < my[0]
        if (their[1] == 0) != (my[1] == 0):
            return their[1] == 0
        return not wins_ties

    result = []
    for piece in mine:
        position, deleted, inserted = piece
        before = sum(len(their[2]) for their in theirs if precedes(their, piece))
        place = position - deleted_before(position) + before
        is_deleted = any(p < position + deleted and position < p + d for p, d, _ in theirs)
        if deleted == len(inserted) and not is_deleted:
            result.append([place, deleted, inserted])
            continue
        result.append([place, 0, inserted])
        for unit in range(position, position + deleted):
            if any(p <= unit < p + d for p, d, _ in theirs):
                continue
            shift = sum(len(text) for p, _, text in theirs if p <= unit)
            result.append([unit - deleted_before(unit) + shift, 1, ""])
    return normalized(result)


def transform(p, s):
    """T(p, s): p to apply after s, and s to apply after p; s goes first in a tie."""
    p, s = normalized(p), normalized(s)
    mine, theirs = _pieces(p, s), _pieces(s, p)
    return _rebased(mine, theirs, False), _rebased(theirs, mine, True)


class Document:
    """A two-way text at a client: the server's text, the own edits that it lacks, and the shown text."""

    def __init__(self, text, revision):  # None: a row's text without a document
        self.server_text = to_units(text)
        self.shown = self.server_text
        self.revision = revision
        self.pending = []  # [number, edit, revision or None], oldest first

    @property
    def text(self):
        return from_units(self.shown)

    def edit(self, number, edit):
        """Shows an own edit; returns it with the revision to send."""
        units = edit_to_units(edit)
        self.shown = apply(units, self.shown)
        self.pending.append([number, units, None])
        return self.revision, edit

    def begin(self, revision):
        """The server's document begins with what the server's text is."""
        self.revision = revision

    def assign(self, number, revision):
        for entry in self.pending:
            if entry[0] == number:
                entry[2] = revision

    def follow(self, steps, revision):
        """Applies the steps of a turn; the last one makes `revision`."""
        number = revision - len(steps)
        for step in steps:
            number += 1
            step = edit_to_units(step)
            self.server_text = apply(step, self.server_text)
            self.revision = number
            if self.pending and self.pending[0][2] == number:
                self.pending.pop(0)
                continue
            for entry in self.pending:
                entry[1], step = transform(entry[1], step)
            self.shown = apply(step, self.shown)
