"""Kernels from declarations: each elementwise forward and rule is run on symbols, and becomes a loop in C.

``symbols.py`` has the symbols and their namespace, ``writing.py`` turns a graph of them into a loop, ``deriving.py`` goes
through the declarations; ``leafward/arrays/kernels/derived`` compiles and calls what comes out.
"""
from leafward.core.op import Op, registry


def op_of(function):
    """The declared op that ``function`` calls: a public function, a method's name, or an op's own."""
    name = function if isinstance(function, str) else None
    for declared in registry.values():
        if declared.name == name or name is None and function in (declared.public_function, declared.public_inplace):
            declared = getattr(declared, "like", None) or declared
            return declared if isinstance(declared, Op) else None
    return None


def kernel_of(function):
    """The kernels that are derived for an op, as the C that is compiled: of its forward and of each rule.

    Where a paragraph has none, the text says why; it then runs on NumPy.

    >>> print(leafward.kernel_of("sgn"), end="")
    /* sgn: x */
    {
        const T *x_ = (const T *)data[0];
        T *out0_ = (T *)data[1];
        EACH(count, AHEAD(x_) AHEAD(out0_),
            const T x = x_[at];
            out0_[at] = F(sgn)(x);
        )
    }
    <BLANKLINE>
    /* sgn of bool: x */
    {
        const uint8_t *x_ = (const uint8_t *)data[0];
        uint8_t *out0_ = (uint8_t *)data[1];
        EACH(count, AHEAD(x_) AHEAD(out0_),
            const int x = x_[at];
            out0_[at] = x | x;
        )
    }
    <BLANKLINE>
    /* sgn, gradient of x: none is needed, it gives what it got or a constant */
    """
    from leafward.derive.kernels.deriving import FLOATS, Derivation, derivable, title
    op = op_of(function)
    if op is None:
        raise TypeError(f"kernel_of() expects a function of leafward that is one op, or an op's name, but got {function!r}")
    if not derivable(op):
        return f"/* {op.name}: none is derived, it does not compute element by element */\n"
    found, parts, bodies = Derivation([op]), [], set()
    for form in found.forms:
        text = "\n".join(filter(None, [f"/* {title(form)} */", form.loop.body]))
        if text not in parts and (form.dtype in FLOATS or form.loop.body not in bodies):
            parts.append(text)
        bodies.add(form.loop.body)
    parts += [f"/* {name}{f', gradient of {serves}' if serves else ''}: none, {reason} */"
              for (name, serves), reason in found.reasons.items()]
    parts += [f"/* {name}, gradient of {serves}: none is needed, it gives what it got or a constant */"
              for name, serves in sorted(found.plain)]
    return "\n\n".join(parts) + "\n"
