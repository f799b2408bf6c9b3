"""Pictures of graphs: the page, the drawing, and what the graph keeps by line. See ``docs/graphs.md``.

Nothing of this is imported before it is asked for.
"""
from leafward.trust.pictures.drawing import graph
from leafward.trust.pictures.page import save_page, show
from leafward.trust.pictures.report import memory_report

__all__ = ["graph", "memory_report", "save_page", "show"]
