"""What the core is handed at start-up, and the counters that every call reads."""


class Runtime:
    """The one shared object that the core's modules look things up in (there is one, :data:`runtime`)."""

    def __init__(self):
        self.special = 0            # threads whose modes differ from the default: while it is 0, no call asks for its own
        self.levels = 0             # threads that are in a level of forward mode or vmap
        self.inference = 0          # threads in inference mode
        self.sequence = 0           # how many nodes were ever made: backward runs the youngest first
        self.written = 0            # how many writes were ever counted
        self.xp = None              # the array namespace
        self.recorded = None        # leafward itself as an array namespace
        self.ndarray = None         # type of a plain array
        self.asarray = None
        self.dtype_of = {}          # array dtype -> leafward dtype
        self.array_dtype = {}       # and back
        self.tensor = None          # class Tensor
        self.parameter = None       # class Parameter
        self.size_of = {}           # shape of an array -> its Size
        self.missing_method = None  # (name, tensor) -> the AttributeError
        self.disabled = None        # a __torch_function__ that stands aside
        self.float32 = None         # the two dtypes of the fast paths
        self.float64 = None
        self.array_float32 = None   # the array library's float32
        self.same_kind = None       # (array, shape, dtype) -> whether a gradient fits as it is; False: look closer
        self.other_ndim = None      # (array, array) -> whether they have different numbers of dims
        self.apply = None           # call.apply, for what lies below the call path and calls ops (views.replay)
        # what users see of a node (introspection.py): above the engine, reached from methods of Node
        self.introspection = None
        self.kernels = {}           # name -> compiled kernel for small arrays; empty where nothing is compiled
        self.derived = {}           # (op, what a rule serves) -> kernel derived from the declaration; the same
        self.new_tapes = None       # (call, positions written) -> the tapes of a paragraph; None: not compiled
        self.new_calls = None       # () -> what the calls of an op came to; None: not compiled
        self.new_templates = None   # (unset) -> what a creation made; the same
        self.new_draws = None       # () -> what a creation drew; the same
        self.drawing_of = None      # (engine, noted, array) -> how it was drawn
        self.learn_composite = None # (declared, fns, args, kwargs, row): note what the calls of a composite come to
        self.path_in = None         # (row, array, dtype=None) -> where it stands there, to be cast to another dtype, or None
        self.new_quiet = None       # () -> run(f, *args) in which the array library does not warn
        self.quiet = []             # idle runners
        # the ops that basic indices stand for, and those that write a number or a tensor there
        self.select = self.slice = self.unsqueeze = self.fill = self.copy = None
        self.basic_index = None     # (array, index) -> the view, or None
        self.view_again = self.note_view = None     # how the views of a call lie, see known_views.py; None: not compiled
        self.same_or_apart = None   # (array, array) -> are they the same elements in order, or apart? None: not compiled
        self.cycles = False         # something was hung onto a tensor or a node that may refer to a younger node (tracing.pyx)
        self.track_nodes = None     # () -> let the garbage collector know every node; None: not compiled, it does
        self.overlap = None         # (array, array) -> do they share bytes?
        self.backward = None        # autograd.backward, for Tensor.backward: it stands above the tensor
        self.array_api = None       # () -> the module of the array API standard, which loads when first asked for
        self.strict = False         # trust: silent gradients raise
        self.checks = True          # trust: LEAFWARD_CHECKS=0 switches the extra checks off, to measure their cost


runtime = Runtime()


def quietly(function, args):
    """``function(*args)`` with the array library's floating-point warnings off.

    A runner is a context that can be entered once at a time: runners are pooled, so nesting and threads
    each get their own. After an exception the runner is dropped, not returned.
    """
    try:
        run = runtime.quiet.pop()
    except IndexError:
        run = runtime.new_quiet()
    result = run(function, *args)
    runtime.quiet.append(run)
    return result
