//! [`reductions!`](crate::reductions!): the exported symbols of the collectives that compute, and
//! of the barrier, by the rules of [`preload!`](crate::preload!). They are wrapped for traces
//! only: otherwise a call goes on as it is.

/// Exports these collectives with counts `N`. Used by [`preload!`](crate::preload!), in a module
/// that has `PRELOAD` and the types of the ABI.
#[doc(hidden)]
#[macro_export]
macro_rules! reductions {
    ($width:ident) => {
        use $crate::runtime::collective_arguments::{Counts, ReductionCall, ReductionLayer as _};

        $crate::reductions! { @barrier $width }
        // After the buffers: counts, what they are to us, then whether there is a root.
        $crate::reductions! { @each $width
            (N) Each [root: c_int] (Some(root)) {
                Reduce reduce reduce_c;
                Ireduce ireduce ireduce_c;
                Reduce_init reduce_init reduce_init_c;
            }
            (N) Each [] (None) {
                Allreduce allreduce allreduce_c;
                Iallreduce iallreduce iallreduce_c;
                Allreduce_init allreduce_init allreduce_init_c;
            }
            (N) Each [] (None) {
                Scan scan scan_c;
                Iscan iscan iscan_c;
                Scan_init scan_init scan_init_c;
            }
            (N) Each [] (None) {
                Exscan exscan exscan_c;
                Iexscan iexscan iexscan_c;
                Exscan_init exscan_init exscan_init_c;
            }
            (N) Each [] (None) {
                Reduce_scatter_block reduce_scatter_block reduce_scatter_block_c;
                Ireduce_scatter_block ireduce_scatter_block ireduce_scatter_block_c;
                Reduce_scatter_block_init reduce_scatter_block_init reduce_scatter_block_init_c;
            }
            (*const N) List [] (None) {
                Reduce_scatter reduce_scatter reduce_scatter_c;
                Ireduce_scatter ireduce_scatter ireduce_scatter_c;
                Reduce_scatter_init reduce_scatter_init reduce_scatter_init_c;
            }
        }
    };
    // Nothing is counted: there is one width.
    (@barrier int) => {
        $crate::reductions! { @export [Barrier required barrier]
            (comm: Comm) (Counts::<N>::None, None, None) comm (Form::Blocking) }
        $crate::reductions! { @export [Ibarrier required ibarrier]
            (comm: Comm, request: *mut Request) (Counts::<N>::None, None, None)
            comm (Form::NonBlocking(request)) }
        $crate::reductions! { @export [Barrier_init optional barrier_init]
            (comm: Comm, info: Info, request: *mut Request) (Counts::<N>::None, None, None)
            comm (Form::Persistent(request)) }
    };
    (@barrier large) => {};
    (@each $width:ident $(($count:ty) $counts:ident [$($root:ident: $int:ty)?] ($is_root:expr) {
        $blocking:ident $b:ident $b_c:ident;
        $non_blocking:ident $n:ident $n_c:ident;
        $persistent:ident $p:ident $p_c:ident;
    })*) => {
        $(
            $crate::reductions! { @$width $blocking required $b $b_c
                (send: *const c_void, receive: *mut c_void, count: $count, datatype: Datatype,
                    op: Op, $($root: $int,)? comm: Comm)
                (Counts::$counts(count), Some(datatype), $is_root) comm (Form::Blocking) }
            $crate::reductions! { @$width $non_blocking required $n $n_c
                (send: *const c_void, receive: *mut c_void, count: $count, datatype: Datatype,
                    op: Op, $($root: $int,)? comm: Comm, request: *mut Request)
                (Counts::$counts(count), Some(datatype), $is_root)
                comm (Form::NonBlocking(request)) }
            $crate::reductions! { @$width $persistent optional $p $p_c
                (send: *const c_void, receive: *mut c_void, count: $count, datatype: Datatype,
                    op: Op, $($root: $int,)? comm: Comm, info: Info, request: *mut Request)
                (Counts::$counts(count), Some(datatype), $is_root)
                comm (Form::Persistent(request)) }
        )*
    };
    (@int $name:ident $have:ident $field:ident $large:ident $($rest:tt)*) => {
        $crate::reductions! { @export [$name $have $field] $($rest)* }
    };
    (@large $name:ident $have:ident $field:ident $large:ident $($rest:tt)*) => {
        $crate::reductions! { @export [$name optional $large "_c"] $($rest)* }
    };
    (@export [$name:ident $($function:tt)*] ($($argument:ident: $ty:ty),*)
        ($counts:expr, $datatype:expr, $root:expr) $comm:ident ($form:expr)) =>
    {
        $crate::layered! { [$name $($function)*] ($($argument: $ty),*)
            |layer, next| {
                let (name, counts, datatype) =
                    (concat!("MPI_", stringify!($name)), $counts, $datatype);
                let (root, comm, form) = ($root, $comm, $form);
                let call = ReductionCall { name, counts, datatype, root, comm, form };
                let next: &dyn Fn() -> c_int = &move || next($($argument),*);
                layer.reduction(call, next)
            }
        }
    };
}
