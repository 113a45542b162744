"""Layouts of arrays: described as MPI datatypes, packed, copied and sent without temporaries.

>>> import commloom
>>> column = commloom.Layout.parse("vector(4, 1, 3, MPI_INT)")
>>> column.size, column.cost, column.optimal
(16, 12, True)

An array is anything with the buffer protocol, ``__array_interface__`` or DLPack (memory of the
CPU). NumPy is needed for the last two, and for structured elements; mpi4py for ``buf``,
``to_mpi`` and ``from_mpi``. Both are imported only then. ``guidelines`` and ``detect`` run the
command ``commloom``, and give what it finds as rows; pandas is needed for ``to_pandas`` alone.
"""

from ._datatypes import buf, from_mpi, to_mpi
from ._native import Layout, Plan, __version__, copy, pack, unpack
from ._results import Detection, Table, detect, guidelines

Layout.to_mpi = to_mpi
Layout.from_mpi = staticmethod(from_mpi)

__all__ = [
    "Detection",
    "Layout",
    "Plan",
    "Table",
    "__version__",
    "buf",
    "copy",
    "detect",
    "guidelines",
    "pack",
    "unpack",
]
