//! The treatment of a datatype by the library itself: which byte of memory becomes which packed
//! byte.

use std::ffi::c_int;
use std::sync::LazyLock;

use commloom_layout::Type;
use commloom_mpi::{Abi, Mpi, Subject};

/// Bytes of memory on each side of the origin. Random types stay inside (`Limits::span`, twice).
const REACH: usize = 1 << 17;

/// Memory in which each byte is the low, the middle or the high byte of its index. Made once: most
/// of the time of these tests went here.
static PLANES: LazyLock<[Vec<u8>; 3]> = LazyLock::new(|| {
    [0, 8, 16].map(|shift| {
        (0..2 * REACH).map(|i| u8::try_from((i >> shift) & 0xff).expect("masked")).collect()
    })
});

/// Displacement of every byte of `count` elements in packed order, as `MPI_Pack` does it, which
/// packs each of the planes.
pub fn byte_map<A: Abi>(mpi: &Mpi<A>, datatype: A::Datatype, count: c_int) -> Vec<i64> {
    let [low, middle, high] = [0, 1, 2].map(|plane| pack(mpi, datatype, count, &PLANES[plane]));
    low.iter()
        .zip(&middle)
        .zip(&high)
        .map(|((&l, &m), &h)| i64::from(l) | (i64::from(m) << 8) | (i64::from(h) << 16))
        .map(|index| index - i64::try_from(REACH).expect("small"))
        .collect()
}

fn pack<A: Abi>(mpi: &Mpi<A>, datatype: A::Datatype, count: c_int, memory: &[u8]) -> Vec<u8> {
    let comm = mpi.handles.comm_self;
    let mut room = 0;
    // SAFETY: `room` is writable, the handles are live.
    let code = unsafe { (mpi.own.pack_size)(count, datatype, comm, &raw mut room) };
    mpi.check("MPI_Pack_size", code).expect("a committed type");
    let mut packed = vec![0u8; usize::try_from(room).expect("a size") + 64];
    let mut position = 0;
    // SAFETY: the data of the types here lie within REACH bytes of the origin; `packed` has room.
    let code = unsafe {
        (mpi.own.pack)(
            memory.as_ptr().add(REACH).cast(),
            count,
            datatype,
            packed.as_mut_ptr().cast(),
            c_int::try_from(packed.len()).expect("small"),
            &raw mut position,
            comm,
        )
    };
    mpi.check("MPI_Pack", code).expect("a committed type");
    packed.truncate(usize::try_from(position).expect("not negative"));
    packed
}

/// The same, from the type map of a layout; `None` for bytes without meaning, which a library may
/// pack as anything: the padding of x87 numbers (MPICH copies 10 of their 16 bytes), and with
/// MPICH 5 also bytes of other elements that it takes for such numbers (`commloom_mpi::FAULTS`).
fn layout_byte_map<A: Abi>(mpi: &Mpi<A>, layout: &Type, count: i64) -> Vec<Option<i64>> {
    let quads = ["INTEGER16", "LOGICAL16", "REAL16", "COMPLEX32"];
    let quads = quads.iter().filter(|_| mpi.may_have(Subject::QuadsAreLongDoubles));
    let taken_for_x87: Vec<&str> = quads.copied().chain(["LONG_DOUBLE"]).collect();
    let mut bytes = Vec::new();
    for copy in 0..count {
        for entry in layout.type_map() {
            let size = i64::try_from(entry.basic.size()).expect("small");
            let name = entry.basic.name();
            let is_x87 =
                cfg!(target_arch = "x86_64") && taken_for_x87.iter().any(|n| name.contains(n));
            let at = copy * layout.extent() + entry.displacement;
            bytes.extend((0..size).map(|b| (!is_x87 || b % 16 < 10).then_some(at + b)));
        }
    }
    bytes
}

/// Panics unless library and layout agree on the bytes of one and of three elements, on size and
/// on bounds. `datatype` must be committed.
pub fn assert_same<A: Abi>(mpi: &Mpi<A>, datatype: A::Datatype, layout: &Type, what: &str) {
    for count in [1, 3] {
        let library = byte_map(mpi, datatype, count);
        let ours = layout_byte_map(mpi, layout, i64::from(count));
        assert_eq!(library.len(), ours.len(), "{what}: packed bytes, {layout:?}");
        let differs = library.iter().zip(&ours).position(|(&l, &o)| o.is_some_and(|o| l != o));
        if let Some(at) = differs {
            let (library, ours) = (library[at], ours[at]);
            panic!(
                "{what}: packed byte {at} of {count} elements comes from {library} in the library, \
                 from {ours:?} in the layout {layout:?}"
            );
        }
    }
    let bounds = mpi.type_bounds(datatype).expect("a live handle");
    assert_eq!((bounds.lb, bounds.extent), (layout.lb(), layout.extent()), "{what}: {layout:?}");
    assert_eq!(mpi.type_size(datatype).expect("a live handle"), Some(layout.size()), "{what}");
}
