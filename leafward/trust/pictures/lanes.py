"""Where a graph's nodes are drawn: one row each, in the order in which backward runs them, and edges in lanes beside them.

An edge leaves its node, goes down one lane and enters the node that it leads to. Two edges share a lane only where they lead to
the same node, so that what is drawn never crosses a node that it has nothing to do with; and rows can be folded together
without a new layout, because folding keeps their order.
"""


def lanes_of(targets):
    """``(lane of each row, {(row, target row): lane of the edge}, how many lanes)``.

    ``targets``: for each row the rows, all further down, that edges lead to.
    """
    bound = []                                              # for each lane the row that what is in it leads to; None: free
    own, edges = [], {}
    for row, below in enumerate(targets):
        entering = [lane for lane, target in enumerate(bound) if target == row]
        lane = entering[0] if entering else free_lane(bound)
        for other in entering:
            bound[other] = None
        own.append(lane)
        for target in sorted(set(below)):
            if target in bound:
                at = bound.index(target)
            else:
                at = lane if bound[lane] is None else free_lane(bound)
                bound[at] = target
            edges[row, target] = at
    return own, edges, len(bound)


def free_lane(bound):
    """The first lane that nothing is in, a new one if need be."""
    for lane, target in enumerate(bound):
        if target is None:
            return lane
    bound.append(None)
    return len(bound) - 1
