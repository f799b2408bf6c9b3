"""Types that PyTorch's compiler knows, for annotations."""
from typing import Dict, List, Optional, Tuple, Union  # noqa: F401

BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = List
