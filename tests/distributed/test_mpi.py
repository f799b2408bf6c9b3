"""The same cases over MPI: ranks that are processes of this machine, started without a launcher."""
import pytest

import leafward as lw
from tests.distributed import training_cases
from tests.distributed.gloo import outcomes, run_ranks
from tests.distributed.test_collectives import differences
from tests.distributed.test_training import check
from tests.oracle import torch  # noqa: F401  (without PyTorch there is nothing to compare with)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_mpi_agrees_with_gloo(size, tmp_path, tmp_path_factory):
    theirs = outcomes("tests.distributed.collective_cases", size, tmp_path_factory.getbasetemp().parent)
    ours, said = run_ranks("tests.distributed.collective_cases", size, tmp_path, library="leafward")
    assert differences(ours, theirs) == []
    assert said == [""] * size                                  # nothing complains at the end


def test_training(tmp_path, tmp_path_factory):
    theirs = outcomes("tests.distributed.training_cases", 2, tmp_path_factory.getbasetemp().parent)
    ours, said = run_ranks("tests.distributed.training_cases", 2, tmp_path, library="leafward")
    check(ours, training_cases.run(lw, 0, 1), theirs)
    assert said == ["", ""]
