"""Layouts and datatypes of mpi4py, one from the other."""

import atexit
import collections
import weakref

from ._native import Layout, _exporter, _memory

# Datatypes that are kept, the last used ones at the end. One that is thrown out is freed when
# nobody has it any more.
_MOST = 512
_known = collections.OrderedDict()
# mpi4py finalizes MPI after this: libraries warn of datatypes that are left.
atexit.register(_known.clear)


def to_mpi(layout):
    """The committed datatype of mpi4py that is this layout, in its cheapest description.

    Equal layouts have one datatype. It is not yours to free: that happens when neither commloom
    nor you have it any more.
    """
    found = _known.get(layout)
    if found is not None:
        try:
            _known.move_to_end(layout)
        except KeyError:
            pass  # Another thread has thrown it out.
        return found
    made = _built(layout._calls())
    _known[layout] = made
    while len(_known) > _MOST:
        _known.popitem(last=False)
    return made


def _built(calls):
    from mpi4py import MPI

    if not MPI.Is_initialized() or MPI.Is_finalized():
        raise RuntimeError("a datatype can be made only between MPI_Init and MPI_Finalize")
    made = []

    def handle(old):
        return made[old] if isinstance(old, int) else getattr(MPI, old)

    try:
        for method, old, arguments in calls:
            if isinstance(old, list):
                blocks, places = arguments
                olds = [handle(one) for one in old]
                made.append(MPI.Datatype.Create_struct(blocks, places, olds))
            elif method in ("Create_vector", "Create_hvector"):
                _append_vector(made, MPI, method, handle(old), arguments)
            else:
                made.append(getattr(handle(old), method)(*arguments))
        last = made.pop().Commit()
    finally:
        for old in made:
            old.Free()
    # A second object with the same handle, which outlives the first.
    weakref.finalize(last, _free, MPI.Datatype(last)).atexit = False
    return last


def _append_vector(made, MPI, method, old, arguments):
    """Appends a vector. Those with steps of -1 byte are written in another way for Open MPI, which
    takes this number for "as far as the element reaches", and so for another layout (4.1.4 and
    5.0.11; `DescendingBytes` in crates/mpi/src/faults.rs).
    """
    count, block, stride = arguments
    lower, extent = old.Get_extent()
    in_bytes = stride if method == "Create_hvector" else stride * extent
    if in_bytes != -1 or count < 2 or MPI.get_vendor()[0] != "Open MPI":
        made.append(getattr(old, method)(*arguments))
        return
    steps = []
    try:
        steps.append(old.Create_contiguous(block))
        lower, extent = steps[0].Get_extent()
        steps.append(steps[0].Create_resized(lower, -1))
        steps.append(steps[1].Create_contiguous(count))
        # The bounds that the vector has.
        made.append(steps[2].Create_resized(lower - (count - 1), extent + (count - 1)))
    finally:
        for step in steps:
            step.Free()


def _free(datatype):
    from mpi4py import MPI

    if not MPI.Is_finalized():
        datatype.Free()


def from_mpi(datatype):
    """The layout of one element of a datatype of mpi4py, bounds included."""
    from mpi4py import MPI

    if not isinstance(datatype, MPI.Datatype):
        raise TypeError(f"expected a datatype of mpi4py, not {type(datatype).__name__}")
    if datatype == MPI.DATATYPE_NULL:
        raise ValueError("MPI_DATATYPE_NULL has no layout")
    return Layout.parse(_notation(datatype, MPI))


# How the notation writes what a constructor is called with.
_SPELLED = {
    "DUP": "dup({old})",
    "CONTIGUOUS": "contiguous({count}, {old})",
    "VECTOR": "vector({count}, {blocklength}, {stride}, {old})",
    "HVECTOR": "hvector({count}, {blocklength}, {stride}, {old})",
    "INDEXED": "indexed({blocklengths}, {displacements}, {old})",
    "HINDEXED": "hindexed({blocklengths}, {displacements}, {old})",
    "INDEXED_BLOCK": "indexed_block({blocklength}, {displacements}, {old})",
    "HINDEXED_BLOCK": "hindexed_block({blocklength}, {displacements}, {old})",
    "STRUCT": "struct({blocklengths}, {displacements}, {old})",
    "SUBARRAY": "subarray({sizes}, {subsizes}, {starts}, {order}, {old})",
    "DARRAY": "darray({size}, {rank}, {gsizes}, {distribs}, {psizes}, {order}, {old})",
    "RESIZED": "resized({lb}, {extent}, {old})",
}


def _notation(datatype, MPI):
    _, combiner, arguments = datatype.decode()
    if combiner == "NAMED":
        return _named(datatype, MPI)
    if combiner not in _SPELLED:
        raise ValueError(f"datatypes of the combiner MPI_COMBINER_{combiner} are not read")
    olds = arguments.pop("datatypes", None)
    try:
        if olds is None:
            old = datatype.decode()[0]
            olds = [old]
            spelled = _notation(old, MPI)
        else:
            spelled = _list(_notation(old, MPI) for old in olds)
    finally:
        for old in olds or []:
            if not old.is_predefined:
                old.Free()
    words = {name: _word(name, value, arguments, MPI) for name, value in arguments.items()}
    text = _SPELLED[combiner].format(old=spelled, **words)
    # Libraries differ in the padding of structs: what this one says holds.
    lower, extent = datatype.Get_extent()
    if Layout.parse(text).extent != (lower, extent):
        text = f"resized({lower}, {extent}, {text})"
    return text


def _named(datatype, MPI):
    name = datatype.Get_name()
    try:
        layout = Layout.parse(name)
    except ValueError:
        layout = None
    if layout is None or layout.size != datatype.Get_size():
        raise ValueError(f"the predefined datatype {name} has no fixed layout that is known")
    return name


def _list(values):
    return f"<{', '.join(map(str, values))}>"


def _word(name, value, arguments, MPI):
    if name == "order":
        return "Fortran" if value == MPI.ORDER_FORTRAN else "C"
    if name == "distribs":
        kinds = {
            MPI.DISTRIBUTE_NONE: "none",
            MPI.DISTRIBUTE_BLOCK: "block",
            MPI.DISTRIBUTE_CYCLIC: "cyclic",
        }

        def one(kind, argument):
            has_none = kind == MPI.DISTRIBUTE_NONE or argument == MPI.DISTRIBUTE_DFLT_DARG
            return kinds[kind] + ("" if has_none else f"({argument})")

        return _list(map(one, value, arguments["dargs"]))
    return _list(value) if isinstance(value, (list, tuple)) else str(value)


def buf(a):
    """An array, however strided, as what mpi4py takes as a buffer: ``[memory, 1, datatype]``.

    >>> comm.Send(commloom.buf(grid[:, 0]), dest=1)  # doctest: +SKIP

    The memory is that of the array, which lives as long as the buffer does. Nothing is copied.
    """
    a = _exporter(a)
    layout = Layout.from_array(a)
    lower, length = layout.true_extent
    if layout.size == 0:
        return [bytearray(), 0, to_mpi(Layout.parse("MPI_BYTE"))]
    return [_bytes(a, lower, length), 1, to_mpi(layout._moved(-lower))]


class _Interface:
    """Memory of an array as bytes, for NumPy."""

    def __init__(self, owner, address, length, is_read_only):
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "typestr": "|u1",
            "shape": (length,),
            "data": (address, is_read_only),
        }


def _bytes(a, lower, length):
    """So many bytes of an array, `lower` from its first element on. The result keeps it alive."""
    address, _, _, is_read_only = _memory(a)
    try:
        import numpy
    except ImportError:
        numpy = None
    if numpy is not None:
        # The view of an object that can be resized forbids that.
        owner = a if isinstance(a, numpy.ndarray) else memoryview(a)
        return numpy.asarray(_Interface(owner, address + lower, length, is_read_only))
    # Without NumPy all arrays are parts of something contiguous.
    whole = memoryview(a)
    if not whole.contiguous:
        whole = memoryview(whole.obj)
    start = address + lower - _memory(whole)[0]
    return whole.cast("B")[start : start + length]
