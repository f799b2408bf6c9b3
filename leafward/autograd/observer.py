"""Who looks at the backwards of a program: ``leafward check``, the pages of graphs, traces."""


class Observer:
    """What ``autograd.observers`` holds; each method is called where its name says, and does nothing of itself."""

    def before_backward(self, roots):
        """``backward()`` begins at these nodes and leaves."""

    def after_backward(self):
        """It ended, and the gradients are there."""

    def asked(self, inputs):
        """Gradients of these tensors are asked for by themselves: by ``grad()``, or ``backward(inputs=...)``."""
