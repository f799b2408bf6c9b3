from leafward.core.basic_index cimport basic_view
from leafward.core.native cimport fits_int64
from leafward.core.tensor cimport TensorBase
