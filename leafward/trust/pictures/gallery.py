"""The graphs of a program while it runs: of the first backward from each line."""
from leafward import autograd
from leafward.autograd.observer import Observer
from leafward.core.native import call_site
from leafward.core.node import Node
from leafward.core.tensor import TensorBase
from leafward.trust.pictures.page import page
from leafward.trust.pictures.picture import Picture
from leafward.trust.source import place

#: How many graphs one page shows.
MOST_GRAPHS = 8


class Gallery(Observer):
    """A context that keeps a picture of the first graph that each ``backward()`` of a program is called on."""

    def __init__(self):
        self.pictures = {}
        self.handles = []

    def __enter__(self):
        autograd.observers.append(self)
        return self

    def __exit__(self, *exc):
        autograd.observers.remove(self)

    def before_backward(self, roots):
        """Draw a graph before its values are freed, and watch the gradients that go through it."""
        site = call_site()
        ends = [root for root in roots if isinstance(root, Node) or (isinstance(root, TensorBase) and root.grad_fn is not None)]
        if site is None or not ends or (id(site[0]), site[1]) in self.pictures or len(self.pictures) >= MOST_GRAPHS:
            return
        picture = Picture(ends)
        picture.data["asked"] = place(site).where()
        self.pictures[id(site[0]), site[1]] = (site, picture.data)
        self.handles = picture.watch()

    def after_backward(self):
        """Gradients of other calls are no matter of the picture."""
        for handle in self.handles:
            handle.remove()
        self.handles = []

    def html(self, findings=(), title="leafward"):
        """The page of all graphs, and of what was found."""
        return page([data for _, data in self.pictures.values()], findings, title)
