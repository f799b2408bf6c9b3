"""Two ranks on two machines, which are network namespaces with a link of 1 Gbit between them."""
import pytest

from bench import link
from tests.distributed.test_mpi import MPI, SURROUNDINGS


@pytest.mark.skipif(link.possible() is not None, reason=f"there is no link to measure: {link.possible()}")
def test_gradients_cross_the_link_once():
    with link.link():
        found = link.measured(**SURROUNDINGS if MPI == "openmpi" else link.NO_SHORTCUT)
    # 2(N-1)/N of the gradients, and the headers of packets.
    assert found["gradients"] <= found["sent"] < 1.01 * found["gradients"], found
    assert link.LARGE <= found["large_sent"] < 1.01 * link.LARGE, found
    # A large reduction sends while it receives, and backward hides what it lasts longer than: the best of some times, since
    # other programs take the processors, not the link.
    assert found["large"] < 1.3 * link.LARGE / link.RATE, found
    assert found["reducing"] > found["backward"] or found["most_hidden"] >= 0.8, found
