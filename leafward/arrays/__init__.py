"""Array namespaces: the only part of leafward that imports an array library.

``cpu`` is NumPy under the names of the Python Array API standard. The core receives a namespace at start-up and
never imports one.
"""
