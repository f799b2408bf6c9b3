"""Histories that grow from one ``backward()`` to the next: seldom looked for, told once a hundred turns are in them.

Every sixteenth call from a line of the program is noted: how many nodes there were, and, weakly, where it began. After a
hundred and more calls two things show that a history grows: the graph has nodes of every span between two notes, or what
those backwards began at is all still there.
"""
from weakref import ref

from leafward.core.node import Node, behind
from leafward.errors import trust

#: How many calls lie between two notes, how many notes of one line are kept, and until which of them is looked.
BETWEEN, NOTED, LAST = 16, 8, 4096
#: (id(code), instruction offset) -> the notes of this line.
notes = {}


class Note:
    """One call: how many nodes there were before it, and the node (or leaf) that it began at."""

    def __init__(self, call, root):
        self.sequence, self.root = call.sequence, ref(root)


def note_turn(call, roots):
    """Note this call, and look every now and then whether a history grows."""
    if call.number > LAST or not roots:
        return
    site = call.site
    key = (id(site[0]), site[1])
    noted = notes.setdefault(key, [])
    noted.append(Note(call, roots[0]))
    del noted[:-NOTED]
    number = call.number
    if len(noted) == NOTED and number >= NOTED * BETWEEN and number & (number - 1) == 0:
        spans = [note.sequence for note in noted]
        again = has_all(spans, roots)
        if again or all([note.root() is not None for note in noted]):
            trust("tell_growth")(call, spans, again)


def has_all(spans, ends):
    """Whether the graph behind ``ends`` has nodes of each turn between these counts of nodes."""
    found = [0] * (len(spans) + 1)
    for end in behind(ends):
        if isinstance(end, Node):
            found[sum([end._sequence > count for count in spans])] += 1
    return min(found[1:-1]) >= BETWEEN
