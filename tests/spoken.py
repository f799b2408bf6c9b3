"""What leafward says of gradients while a test runs: no word of a right program, whatever warnings the test itself ignores."""

#: Tests with mistakes in them, by the beginning of their name, and why. All others are right programs: a word is a false alarm.
MISTAKEN = {
    "tests/trust/": "mistakes and what is said of them",
    "tests/pictures/": "the same, as pages and in notebooks",
    "tests/state_machine/": "random programs: a model says which of them are wrong, and whether a word is due",
    "tests/behaviour/test_data_and_detach.py": "what PyTorch overwrites without a word",
    "tests/ops/test_strict.py": "gradients at poles: they are NaN in PyTorch, too",
    "tests/test_conjugates.py::test_unsafe_split_shares_memory_and_the_warning_says_so": "an untracked view is written",
    "tests/test_replaced_memory.py::test_what_was_saved_and_then_overwritten_is_told": "a value is overwritten through .data",
    "tests/test_storages.py::test_writes_through_a_storage_are_seen_by_backward": "a value is overwritten through its storage",
    "tests/fuzz/test_fuzz.py::test_what_differs_on_purpose_stands_in_the_docs_and_differs[a-complex-convolution":
        "an operand is overwritten through .data",
    "tests/fuzz/test_fuzz.py::test_what_differs_on_purpose_stands_in_the_docs_and_differs[-cumprod":
        "a result is overwritten through .data",
    "tests/fuzz/test_fuzz.py::test_what_differs_on_purpose_stands_in_the_docs_and_differs[gradient-of-cumprod-where":
        "infinity times zero",
    "tests/fuzz/test_fuzz.py::test_what_differs_on_purpose_stands_in_the_docs_and_differs[-polygamma":
        "a gradient at a pole",
    "tests/autograd/test_checkpoint.py::test_gradients_and_random_numbers": "the second run draws other numbers on purpose",
    "tests/autograd/test_selective_checkpoint.py::test_refusals": "what is kept is overwritten, and not looked at",
    "tests/distributed/test_collectives.py::test_versions_stay_and_the_write_is_told": "a collective overwrites a kept value",
    "tests/distributed/test_training.py::test_a_gradient_that_is_nan_on_some_ranks": "a loss is NaN on one rank",
}
#: Tests that run every op on all of its samples, some of them at poles: what is said of an infinite slope there is true.
AT_POLES = ("tests/ops/", "tests/test_gradient_memory.py", "tests/autograd/test_vmap_ops.py")
#: The gradient warnings since a test began.
told = []


def listen():
    """Note every gradient warning as it is made: many tests ignore warnings, or compare them with PyTorch's."""
    from leafward.errors import GradientWarning

    def noted(warning, *args):
        told.append((type(warning).__name__, *args))
    GradientWarning.__init__ = noted


def false_alarm(name):
    """In words, what was said of the test ``name``, if it is a right program; None if nothing was."""
    heard = [said for said in told if said[0] != "NonFiniteGradientWarning" or not name.startswith(AT_POLES)]
    if not heard or any(name.startswith(beginning) for beginning in MISTAKEN):
        return None
    return "leafward speaks of a right program (if it is wrong on purpose, tests/spoken.py has to say so):\n" + "\n".join(
        map(str, heard[0]))
