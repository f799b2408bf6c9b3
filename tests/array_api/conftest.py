"""Both namespaces at one version of the standard, with one default dtype."""
import array_api_strict as strict
import pytest

import leafward


@pytest.fixture(autouse=True)
def float64_by_default():
    """The default dtypes are a library's own choice: here the reference's, with its version of the standard."""
    strict.set_array_api_strict_flags(api_version="2024.12")
    leafward.set_default_dtype(leafward.float64)
    yield
    leafward.set_default_dtype(leafward.float32)
    strict.reset_array_api_strict_flags()
