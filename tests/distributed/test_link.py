"""Two ranks on two machines, which are network namespaces with a link of 1 Gbit between them."""
import pytest

from bench import link
from tests.distributed.test_mpi import MPI, SURROUNDINGS


@pytest.mark.skipif(link.possible() is not None, reason=f"there is no link to measure: {link.possible()}")
def test_gradients_cross_the_link_once():
    with link.link():
        found = link.measured(**SURROUNDINGS if MPI == "openmpi" else link.NO_SHORTCUT)
    # 2(N-1)/N of the gradients, and the headers of packets; and a large reduction sends while it receives.
    assert found["gradients"] <= found["sent"] < 1.05 * found["gradients"], found
    assert link.LARGE <= found["large_sent"] < 1.05 * link.LARGE and found["large"] < 1.6 * link.LARGE / link.RATE, found
    assert found["waiting"] < found["reducing"], found
