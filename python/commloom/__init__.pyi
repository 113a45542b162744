from typing import Any

from ._native import Layout as Layout
from ._native import Plan as Plan
from ._native import __version__ as __version__
from ._native import copy as copy
from ._native import pack as pack
from ._native import unpack as unpack
from ._results import Detection as Detection
from ._results import Table as Table
from ._results import detect as detect
from ._results import guidelines as guidelines

def buf(a: Any) -> list[Any]: ...
