//! [`collectives!`]: the exported symbols of the collectives. A row names the forms of one collective;
//! how the arguments are split into two sides is written once for each shape of them.

/// Exports the collectives with C `int` counts (`int`) or `MPI_Count` counts (`large`). Used by
/// [`preload!`](crate::preload), in a module that has `PRELOAD` and the types of the ABI.
#[doc(hidden)]
#[macro_export]
macro_rules! collectives {
    (int) => {
        use $crate::calls::collectives::{Equal, Form, Kind, Typed, Varying, collective};
        use $crate::reexport::Aint;

        $crate::collectives! { @forms one_root (c_int, c_int) required Bcast:
            MPI_Bcast bcast, MPI_Ibcast ibcast, MPI_Bcast_init bcast_init }
        $crate::collectives! { @forms equal_equal_root (c_int, c_int) required Gather:
            MPI_Gather gather, MPI_Igather igather, MPI_Gather_init gather_init }
        $crate::collectives! { @forms equal_varying_root (c_int, c_int) required Gather:
            MPI_Gatherv gatherv, MPI_Igatherv igatherv, MPI_Gatherv_init gatherv_init }
        $crate::collectives! { @forms equal_equal_root (c_int, c_int) required Scatter:
            MPI_Scatter scatter, MPI_Iscatter iscatter, MPI_Scatter_init scatter_init }
        $crate::collectives! { @forms varying_equal_root (c_int, c_int) required Scatter:
            MPI_Scatterv scatterv, MPI_Iscatterv iscatterv, MPI_Scatterv_init scatterv_init }
        $crate::collectives! { @forms equal_equal (c_int, c_int) required Allgather:
            MPI_Allgather allgather, MPI_Iallgather iallgather, MPI_Allgather_init allgather_init }
        $crate::collectives! { @forms equal_varying (c_int, c_int) required Allgather:
            MPI_Allgatherv allgatherv, MPI_Iallgatherv iallgatherv, MPI_Allgatherv_init allgatherv_init }
        $crate::collectives! { @forms equal_equal (c_int, c_int) required Alltoall:
            MPI_Alltoall alltoall, MPI_Ialltoall ialltoall, MPI_Alltoall_init alltoall_init }
        $crate::collectives! { @forms varying_varying (c_int, c_int) required Alltoall:
            MPI_Alltoallv alltoallv, MPI_Ialltoallv ialltoallv, MPI_Alltoallv_init alltoallv_init }
        $crate::collectives! { @forms typed_typed (c_int, c_int) required Alltoall:
            MPI_Alltoallw alltoallw, MPI_Ialltoallw ialltoallw, MPI_Alltoallw_init alltoallw_init }
        $crate::collectives! { @forms equal_equal (c_int, c_int) required NeighborAllgather:
            MPI_Neighbor_allgather neighbor_allgather, MPI_Ineighbor_allgather ineighbor_allgather, MPI_Neighbor_allgather_init neighbor_allgather_init }
        $crate::collectives! { @forms equal_varying (c_int, c_int) required NeighborAllgather:
            MPI_Neighbor_allgatherv neighbor_allgatherv, MPI_Ineighbor_allgatherv ineighbor_allgatherv, MPI_Neighbor_allgatherv_init neighbor_allgatherv_init }
        $crate::collectives! { @forms equal_equal (c_int, c_int) required NeighborAlltoall:
            MPI_Neighbor_alltoall neighbor_alltoall, MPI_Ineighbor_alltoall ineighbor_alltoall, MPI_Neighbor_alltoall_init neighbor_alltoall_init }
        $crate::collectives! { @forms varying_varying (c_int, c_int) required NeighborAlltoall:
            MPI_Neighbor_alltoallv neighbor_alltoallv, MPI_Ineighbor_alltoallv ineighbor_alltoallv, MPI_Neighbor_alltoallv_init neighbor_alltoallv_init }
        $crate::collectives! { @forms typed_typed (c_int, Aint) required NeighborAlltoall:
            MPI_Neighbor_alltoallw neighbor_alltoallw, MPI_Ineighbor_alltoallw ineighbor_alltoallw, MPI_Neighbor_alltoallw_init neighbor_alltoallw_init }
    };
    (large) => {
        use $crate::calls::collectives::{Equal, Form, Kind, Typed, Varying, collective};
        use $crate::reexport::{Aint, Count};

        $crate::collectives! { @forms one_root (Count, Aint) optional Bcast:
            MPI_Bcast_c bcast_c, MPI_Ibcast_c ibcast_c, MPI_Bcast_init_c bcast_init_c }
        $crate::collectives! { @forms equal_equal_root (Count, Aint) optional Gather:
            MPI_Gather_c gather_c, MPI_Igather_c igather_c, MPI_Gather_init_c gather_init_c }
        $crate::collectives! { @forms equal_varying_root (Count, Aint) optional Gather:
            MPI_Gatherv_c gatherv_c, MPI_Igatherv_c igatherv_c, MPI_Gatherv_init_c gatherv_init_c }
        $crate::collectives! { @forms equal_equal_root (Count, Aint) optional Scatter:
            MPI_Scatter_c scatter_c, MPI_Iscatter_c iscatter_c, MPI_Scatter_init_c scatter_init_c }
        $crate::collectives! { @forms varying_equal_root (Count, Aint) optional Scatter:
            MPI_Scatterv_c scatterv_c, MPI_Iscatterv_c iscatterv_c, MPI_Scatterv_init_c scatterv_init_c }
        $crate::collectives! { @forms equal_equal (Count, Aint) optional Allgather:
            MPI_Allgather_c allgather_c, MPI_Iallgather_c iallgather_c, MPI_Allgather_init_c allgather_init_c }
        $crate::collectives! { @forms equal_varying (Count, Aint) optional Allgather:
            MPI_Allgatherv_c allgatherv_c, MPI_Iallgatherv_c iallgatherv_c, MPI_Allgatherv_init_c allgatherv_init_c }
        $crate::collectives! { @forms equal_equal (Count, Aint) optional Alltoall:
            MPI_Alltoall_c alltoall_c, MPI_Ialltoall_c ialltoall_c, MPI_Alltoall_init_c alltoall_init_c }
        $crate::collectives! { @forms varying_varying (Count, Aint) optional Alltoall:
            MPI_Alltoallv_c alltoallv_c, MPI_Ialltoallv_c ialltoallv_c, MPI_Alltoallv_init_c alltoallv_init_c }
        $crate::collectives! { @forms typed_typed (Count, Aint) optional Alltoall:
            MPI_Alltoallw_c alltoallw_c, MPI_Ialltoallw_c ialltoallw_c, MPI_Alltoallw_init_c alltoallw_init_c }
        $crate::collectives! { @forms equal_equal (Count, Aint) optional NeighborAllgather:
            MPI_Neighbor_allgather_c neighbor_allgather_c, MPI_Ineighbor_allgather_c ineighbor_allgather_c, MPI_Neighbor_allgather_init_c neighbor_allgather_init_c }
        $crate::collectives! { @forms equal_varying (Count, Aint) optional NeighborAllgather:
            MPI_Neighbor_allgatherv_c neighbor_allgatherv_c, MPI_Ineighbor_allgatherv_c ineighbor_allgatherv_c, MPI_Neighbor_allgatherv_init_c neighbor_allgatherv_init_c }
        $crate::collectives! { @forms equal_equal (Count, Aint) optional NeighborAlltoall:
            MPI_Neighbor_alltoall_c neighbor_alltoall_c, MPI_Ineighbor_alltoall_c ineighbor_alltoall_c, MPI_Neighbor_alltoall_init_c neighbor_alltoall_init_c }
        $crate::collectives! { @forms varying_varying (Count, Aint) optional NeighborAlltoall:
            MPI_Neighbor_alltoallv_c neighbor_alltoallv_c, MPI_Ineighbor_alltoallv_c ineighbor_alltoallv_c, MPI_Neighbor_alltoallv_init_c neighbor_alltoallv_init_c }
        $crate::collectives! { @forms typed_typed (Count, Aint) optional NeighborAlltoall:
            MPI_Neighbor_alltoallw_c neighbor_alltoallw_c, MPI_Ineighbor_alltoallw_c ineighbor_alltoallw_c, MPI_Neighbor_alltoallw_init_c neighbor_alltoallw_init_c }
    };

    // The blocking, the non-blocking and the persistent form.
    (@forms $shape:ident $types:tt $have:ident $kind:ident: $blocking:ident $next:ident,
        $immediate:ident $next_immediate:ident, $init:ident $next_init:ident) =>
    {
        $crate::collectives! { @$shape $types $have $kind $blocking $next Blocking [] }
        $crate::collectives! { @$shape $types $have $kind $immediate $next_immediate NonBlocking
            [request: *mut Request] }
        $crate::collectives! { @$shape $types optional $kind $init $next_init Persistent
            [info: Info, request: *mut Request] }
    };

    // One function for each shape of the arguments.
    (@one_root ($n:ty, $d:ty) $have:ident $kind:ident $name:ident $next:ident $form:ident
        [$($tail:ident: $tail_ty:ty),*]) =>
    {
        $crate::collectives! { @function $name (buffer: *mut c_void, count: $n, datatype: Datatype, root: c_int,
            comm: Comm $(, $tail: $tail_ty)*)
            {
                let send = ();
                let receive = Equal { buffer, count, datatype };
                let form = $crate::collectives!(@form $form $($tail)*);
                let next = $crate::collectives!(@next $have $next);
                // SAFETY: the program calls this as it would call MPI.
                unsafe {
                    collective(&PRELOAD, (Kind::$kind, form), (send, receive), root, comm, |s, r| {
                        let Some(next) = next else { return $crate::calls::unsupported::<Table>() };
                        next(r.buffer, r.count, r.datatype, root, comm $(, $tail)*)
                    })
                }
            }
        }
    };
    (@equal_equal_root ($n:ty, $d:ty) $have:ident $kind:ident $name:ident $next:ident $form:ident
        [$($tail:ident: $tail_ty:ty),*]) =>
    {
        $crate::collectives! { @function $name (send_buffer: *const c_void, send_count: $n, send_datatype: Datatype, buffer:
            *mut c_void, count: $n, datatype: Datatype, root: c_int,
            comm: Comm $(, $tail: $tail_ty)*)
            {
                let send = Equal { buffer: send_buffer.cast_mut(), count: send_count, datatype: send_datatype };
                let receive = Equal { buffer, count, datatype };
                let form = $crate::collectives!(@form $form $($tail)*);
                let next = $crate::collectives!(@next $have $next);
                // SAFETY: the program calls this as it would call MPI.
                unsafe {
                    collective(&PRELOAD, (Kind::$kind, form), (send, receive), root, comm, |s, r| {
                        let Some(next) = next else { return $crate::calls::unsupported::<Table>() };
                        next(s.buffer.cast_const(), s.count, s.datatype, r.buffer, r.count, r.datatype,
                root, comm $(, $tail)*)
                    })
                }
            }
        }
    };
    (@equal_varying_root ($n:ty, $d:ty) $have:ident $kind:ident $name:ident $next:ident $form:ident
        [$($tail:ident: $tail_ty:ty),*]) =>
    {
        $crate::collectives! { @function $name (send_buffer: *const c_void, send_count: $n, send_datatype: Datatype, buffer:
            *mut c_void, counts: *const $n, displacements: *const $d, datatype: Datatype,
            root: c_int,
            comm: Comm $(, $tail: $tail_ty)*)
            {
                let send = Equal { buffer: send_buffer.cast_mut(), count: send_count, datatype: send_datatype };
                let receive = Varying { buffer, counts, displacements, datatype };
                let form = $crate::collectives!(@form $form $($tail)*);
                let next = $crate::collectives!(@next $have $next);
                // SAFETY: the program calls this as it would call MPI.
                unsafe {
                    collective(&PRELOAD, (Kind::$kind, form), (send, receive), root, comm, |s, r| {
                        let Some(next) = next else { return $crate::calls::unsupported::<Table>() };
                        next(s.buffer.cast_const(), s.count, s.datatype, r.buffer, r.counts,
                r.displacements, r.datatype, root, comm $(, $tail)*)
                    })
                }
            }
        }
    };
    (@varying_equal_root ($n:ty, $d:ty) $have:ident $kind:ident $name:ident $next:ident $form:ident
        [$($tail:ident: $tail_ty:ty),*]) =>
    {
        $crate::collectives! { @function $name (send_buffer: *const c_void, send_counts: *const $n, send_displacements: *const
            $d, send_datatype: Datatype, buffer: *mut c_void, count: $n, datatype: Datatype,
            root: c_int,
            comm: Comm $(, $tail: $tail_ty)*)
            {
                let send = Varying { buffer: send_buffer.cast_mut(), counts: send_counts, displacements: send_displacements, datatype: send_datatype };
                let receive = Equal { buffer, count, datatype };
                let form = $crate::collectives!(@form $form $($tail)*);
                let next = $crate::collectives!(@next $have $next);
                // SAFETY: the program calls this as it would call MPI.
                unsafe {
                    collective(&PRELOAD, (Kind::$kind, form), (send, receive), root, comm, |s, r| {
                        let Some(next) = next else { return $crate::calls::unsupported::<Table>() };
                        next(s.buffer.cast_const(), s.counts, s.displacements, s.datatype, r.buffer,
                r.count, r.datatype, root, comm $(, $tail)*)
                    })
                }
            }
        }
    };
    (@equal_equal ($n:ty, $d:ty) $have:ident $kind:ident $name:ident $next:ident $form:ident
        [$($tail:ident: $tail_ty:ty),*]) =>
    {
        $crate::collectives! { @function $name (send_buffer: *const c_void, send_count: $n, send_datatype: Datatype, buffer:
            *mut c_void, count: $n, datatype: Datatype,
            comm: Comm $(, $tail: $tail_ty)*)
            {
                let send = Equal { buffer: send_buffer.cast_mut(), count: send_count, datatype: send_datatype };
                let receive = Equal { buffer, count, datatype };
                let form = $crate::collectives!(@form $form $($tail)*);
                let next = $crate::collectives!(@next $have $next);
                // SAFETY: the program calls this as it would call MPI.
                unsafe {
                    collective(&PRELOAD, (Kind::$kind, form), (send, receive), 0, comm, |s, r| {
                        let Some(next) = next else { return $crate::calls::unsupported::<Table>() };
                        next(s.buffer.cast_const(), s.count, s.datatype, r.buffer, r.count, r.datatype, comm $(, $tail)*)
                    })
                }
            }
        }
    };
    (@equal_varying ($n:ty, $d:ty) $have:ident $kind:ident $name:ident $next:ident $form:ident
        [$($tail:ident: $tail_ty:ty),*]) =>
    {
        $crate::collectives! { @function $name (send_buffer: *const c_void, send_count: $n, send_datatype: Datatype, buffer:
            *mut c_void, counts: *const $n, displacements: *const $d, datatype: Datatype,
            comm: Comm $(, $tail: $tail_ty)*)
            {
                let send = Equal { buffer: send_buffer.cast_mut(), count: send_count, datatype: send_datatype };
                let receive = Varying { buffer, counts, displacements, datatype };
                let form = $crate::collectives!(@form $form $($tail)*);
                let next = $crate::collectives!(@next $have $next);
                // SAFETY: the program calls this as it would call MPI.
                unsafe {
                    collective(&PRELOAD, (Kind::$kind, form), (send, receive), 0, comm, |s, r| {
                        let Some(next) = next else { return $crate::calls::unsupported::<Table>() };
                        next(s.buffer.cast_const(), s.count, s.datatype, r.buffer, r.counts,
                r.displacements, r.datatype, comm $(, $tail)*)
                    })
                }
            }
        }
    };
    (@varying_varying ($n:ty, $d:ty) $have:ident $kind:ident $name:ident $next:ident $form:ident
        [$($tail:ident: $tail_ty:ty),*]) =>
    {
        $crate::collectives! { @function $name (send_buffer: *const c_void, send_counts: *const $n, send_displacements: *const
            $d, send_datatype: Datatype, buffer: *mut c_void, counts: *const $n,
            displacements: *const $d, datatype: Datatype,
            comm: Comm $(, $tail: $tail_ty)*)
            {
                let send = Varying { buffer: send_buffer.cast_mut(), counts: send_counts, displacements: send_displacements, datatype: send_datatype };
                let receive = Varying { buffer, counts, displacements, datatype };
                let form = $crate::collectives!(@form $form $($tail)*);
                let next = $crate::collectives!(@next $have $next);
                // SAFETY: the program calls this as it would call MPI.
                unsafe {
                    collective(&PRELOAD, (Kind::$kind, form), (send, receive), 0, comm, |s, r| {
                        let Some(next) = next else { return $crate::calls::unsupported::<Table>() };
                        next(s.buffer.cast_const(), s.counts, s.displacements, s.datatype, r.buffer,
                r.counts, r.displacements, r.datatype, comm $(, $tail)*)
                    })
                }
            }
        }
    };
    (@typed_typed ($n:ty, $d:ty) $have:ident $kind:ident $name:ident $next:ident $form:ident
        [$($tail:ident: $tail_ty:ty),*]) =>
    {
        $crate::collectives! { @function $name (send_buffer: *const c_void, send_counts: *const $n, send_displacements: *const
            $d, send_datatypes: *const Datatype, buffer: *mut c_void, counts: *const $n,
            displacements: *const $d, datatypes: *const Datatype,
            comm: Comm $(, $tail: $tail_ty)*)
            {
                let send = Typed { buffer: send_buffer.cast_mut(), counts: send_counts, displacements: send_displacements, datatypes: send_datatypes };
                let receive = Typed { buffer, counts, displacements, datatypes };
                let form = $crate::collectives!(@form $form $($tail)*);
                let next = $crate::collectives!(@next $have $next);
                // SAFETY: the program calls this as it would call MPI.
                unsafe {
                    collective(&PRELOAD, (Kind::$kind, form), (send, receive), 0, comm, |s, r| {
                        let Some(next) = next else { return $crate::calls::unsupported::<Table>() };
                        next(s.buffer.cast_const(), s.counts, s.displacements, s.datatypes, r.buffer,
                r.counts, r.displacements, r.datatypes, comm $(, $tail)*)
                    })
                }
            }
        }
    };

    (@form Blocking) => { Form::Blocking };
    (@form NonBlocking $request:ident) => { Form::NonBlocking($request) };
    (@form Persistent $info:ident $request:ident) => { Form::Persistent($request) };

    // Libraries of one ABI differ in what they have beyond MPI 3.1.
    (@next required $next:ident) => { Some(PRELOAD.mpi().next.$next) };
    (@next optional $next:ident) => { PRELOAD.mpi().next.$next };

    (@function $name:ident ($($argument:ident: $ty:ty),*) $body:block) => {
        #[doc = concat!("`", stringify!($name), "`, wrapped.")]
        ///
        /// # Safety
        /// As the MPI call.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name($($argument: $ty),*) -> c_int $body
    };
}
