//! [`collectives!`](crate::collectives!): the exported symbols of the collectives, by the rules of
//! [`preload!`](crate::preload!). A row names the arguments of one collective and its three forms;
//! what an argument is, as a parameter, to us and to the library, is written once.

/// Exports the collectives whose counts are `N`, `int` or `MPI_Count` (`large`). Used by
/// [`preload!`](crate::preload!), in a module that has `PRELOAD` and the types of the ABI.
#[doc(hidden)]
#[macro_export]
macro_rules! collectives {
    ($width:ident) => {
        use $crate::reexport::Aint;
        use $crate::runtime::collective_arguments::{
            CollectiveCall, CollectiveLayer as _, Equal, Form, Kind, Typed, Varying,
        };

        type D = <N as $crate::CallCount>::Displacement;

        // What is sent, what is received, and whether there is a root.
        $crate::collectives! { @each $width
            (none, equal, root) Bcast {
                Bcast bcast bcast_c;
                Ibcast ibcast ibcast_c;
                Bcast_init bcast_init bcast_init_c;
            }
            (equal, equal, root) Gather {
                Gather gather gather_c;
                Igather igather igather_c;
                Gather_init gather_init gather_init_c;
            }
            (equal, varying, root) Gather {
                Gatherv gatherv gatherv_c;
                Igatherv igatherv igatherv_c;
                Gatherv_init gatherv_init gatherv_init_c;
            }
            (equal, equal, root) Scatter {
                Scatter scatter scatter_c;
                Iscatter iscatter iscatter_c;
                Scatter_init scatter_init scatter_init_c;
            }
            (varying, equal, root) Scatter {
                Scatterv scatterv scatterv_c;
                Iscatterv iscatterv iscatterv_c;
                Scatterv_init scatterv_init scatterv_init_c;
            }
            (equal, equal, no_root) Allgather {
                Allgather allgather allgather_c;
                Iallgather iallgather iallgather_c;
                Allgather_init allgather_init allgather_init_c;
            }
            (equal, varying, no_root) Allgatherv {
                Allgatherv allgatherv allgatherv_c;
                Iallgatherv iallgatherv iallgatherv_c;
                Allgatherv_init allgatherv_init allgatherv_init_c;
            }
            (equal, equal, no_root) Alltoall {
                Alltoall alltoall alltoall_c;
                Ialltoall ialltoall ialltoall_c;
                Alltoall_init alltoall_init alltoall_init_c;
            }
            (varying, varying, no_root) Alltoall {
                Alltoallv alltoallv alltoallv_c;
                Ialltoallv ialltoallv ialltoallv_c;
                Alltoallv_init alltoallv_init alltoallv_init_c;
            }
            (typed D, typed D, no_root) Alltoall {
                Alltoallw alltoallw alltoallw_c;
                Ialltoallw ialltoallw ialltoallw_c;
                Alltoallw_init alltoallw_init alltoallw_init_c;
            }
            (equal, equal, no_root) NeighborAllgather {
                Neighbor_allgather neighbor_allgather neighbor_allgather_c;
                Ineighbor_allgather ineighbor_allgather ineighbor_allgather_c;
                Neighbor_allgather_init neighbor_allgather_init neighbor_allgather_init_c;
            }
            (equal, varying, no_root) NeighborAllgather {
                Neighbor_allgatherv neighbor_allgatherv neighbor_allgatherv_c;
                Ineighbor_allgatherv ineighbor_allgatherv ineighbor_allgatherv_c;
                Neighbor_allgatherv_init neighbor_allgatherv_init neighbor_allgatherv_init_c;
            }
            (equal, equal, no_root) NeighborAlltoall {
                Neighbor_alltoall neighbor_alltoall neighbor_alltoall_c;
                Ineighbor_alltoall ineighbor_alltoall ineighbor_alltoall_c;
                Neighbor_alltoall_init neighbor_alltoall_init neighbor_alltoall_init_c;
            }
            (varying, varying, no_root) NeighborAlltoall {
                Neighbor_alltoallv neighbor_alltoallv neighbor_alltoallv_c;
                Ineighbor_alltoallv ineighbor_alltoallv ineighbor_alltoallv_c;
                Neighbor_alltoallv_init neighbor_alltoallv_init neighbor_alltoallv_init_c;
            }
            (typed Aint, typed Aint, no_root) NeighborAlltoall {
                Neighbor_alltoallw neighbor_alltoallw neighbor_alltoallw_c;
                Ineighbor_alltoallw ineighbor_alltoallw ineighbor_alltoallw_c;
                Neighbor_alltoallw_init neighbor_alltoallw_init neighbor_alltoallw_init_c;
            }
        }
    };
    (@each $width:ident $($arguments:tt $kind:ident {
        $($blocking:ident)*; $($non_blocking:ident)*; $($persistent:ident)*;
    })*) => {
        $(
            $crate::collectives! { @$width $arguments blocking $kind $($blocking)* }
            $crate::collectives! { @$width $arguments non_blocking $kind $($non_blocking)* }
            $crate::collectives! { @$width $arguments persistent $kind $($persistent)* }
        )*
    };
    // Libraries of one ABI differ in what they have beyond MPI 3.1.
    (@int $arguments:tt persistent $kind:ident $name:ident $field:ident $large:ident) => {
        $crate::collectives! { @export $arguments persistent $kind $name optional $field }
    };
    (@int $arguments:tt $form:ident $kind:ident $name:ident $field:ident $large:ident) => {
        $crate::collectives! { @export $arguments $form $kind $name required $field }
    };
    (@large $arguments:tt $form:ident $kind:ident $name:ident $field:ident $large:ident) => {
        $crate::collectives! { @export $arguments $form $kind $name optional $large "_c" }
    };
    (@export ($($send:ident)*, $($receive:ident)*, $root:ident) $form:ident $($function:tt)*) => {
        $crate::collectives! { @collect
            [$($send)* send; $($receive)* receive; $root; comm; $form;] [] [] []
            (send, receive) $($function)*
        }
    };

    // Takes the arguments one by one and collects the parameters of our function, what they are to
    // us, and what the library gets: for a side, the parts of the value that we name `$side`
    // there. Hygiene keeps apart the names of both sides, as they come from two expansions.
    (@collect [none $side:ident; $($rest:tt)*]
        [$($parameters:tt)*] [$($values:tt)*] [$($passed:tt)*] $($function:tt)*) =>
    {
        $crate::collectives! { @collect [$($rest)*]
            [$($parameters)*] [$($values)* $side: (),] [$($passed)*] $($function)*
        }
    };
    (@collect [equal $side:ident; $($rest:tt)*]
        [$($parameters:tt)*] [$($values:tt)*] [$($passed:tt)*] $($function:tt)*) =>
    {
        $crate::collectives! { @collect [$($rest)*]
            [$($parameters)* buffer: *mut c_void, count: N, datatype: Datatype,]
            [$($values)* $side: Equal { buffer, count, datatype },]
            [$($passed)* $side.buffer, $side.count, $side.datatype,] $($function)*
        }
    };
    (@collect [varying $side:ident; $($rest:tt)*]
        [$($parameters:tt)*] [$($values:tt)*] [$($passed:tt)*] $($function:tt)*) =>
    {
        $crate::collectives! { @collect [$($rest)*]
            [$($parameters)* buffer: *mut c_void, counts: *const N, displacements: *const D,
                datatype: Datatype,]
            [$($values)* $side: Varying { buffer, counts, displacements, datatype },]
            [$($passed)* $side.buffer, $side.counts, $side.displacements, $side.datatype,]
            $($function)*
        }
    };
    (@collect [typed $displacement:ident $side:ident; $($rest:tt)*]
        [$($parameters:tt)*] [$($values:tt)*] [$($passed:tt)*] $($function:tt)*) =>
    {
        $crate::collectives! { @collect [$($rest)*]
            [$($parameters)* buffer: *mut c_void, counts: *const N,
                displacements: *const $displacement, datatypes: *const Datatype,]
            [$($values)* $side: Typed { buffer, counts, displacements, datatypes },]
            [$($passed)* $side.buffer, $side.counts, $side.displacements, $side.datatypes,]
            $($function)*
        }
    };
    (@collect [root; $($rest:tt)*]
        [$($parameters:tt)*] [$($values:tt)*] [$($passed:tt)*] $($function:tt)*) =>
    {
        $crate::collectives! { @collect [$($rest)*]
            [$($parameters)* root: c_int,] [$($values)* root: root,] [$($passed)* root,]
            $($function)*
        }
    };
    (@collect [no_root; $($rest:tt)*]
        [$($parameters:tt)*] [$($values:tt)*] [$($passed:tt)*] $($function:tt)*) =>
    {
        $crate::collectives! { @collect [$($rest)*]
            [$($parameters)*] [$($values)* root: 0,] [$($passed)*] $($function)*
        }
    };
    (@collect [comm; $($rest:tt)*]
        [$($parameters:tt)*] [$($values:tt)*] [$($passed:tt)*] $($function:tt)*) =>
    {
        $crate::collectives! { @collect [$($rest)*]
            [$($parameters)* comm: Comm,] [$($values)* comm: comm,] [$($passed)* comm,]
            $($function)*
        }
    };
    (@collect [blocking; $($rest:tt)*]
        [$($parameters:tt)*] [$($values:tt)*] [$($passed:tt)*] $($function:tt)*) =>
    {
        $crate::collectives! { @collect [$($rest)*]
            [$($parameters)*] [$($values)* form: Form::Blocking] [$($passed)*] $($function)*
        }
    };
    (@collect [non_blocking; $($rest:tt)*]
        [$($parameters:tt)*] [$($values:tt)*] [$($passed:tt)*] $($function:tt)*) =>
    {
        $crate::collectives! { @collect [$($rest)*]
            [$($parameters)* request: *mut Request,]
            [$($values)* form: Form::NonBlocking(request)] [$($passed)* request] $($function)*
        }
    };
    (@collect [persistent; $($rest:tt)*]
        [$($parameters:tt)*] [$($values:tt)*] [$($passed:tt)*] $($function:tt)*) =>
    {
        $crate::collectives! { @collect [$($rest)*]
            [$($parameters)* info: Info, request: *mut Request,]
            [$($values)* form: Form::Persistent(request)] [$($passed)* info, request] $($function)*
        }
    };
    (@collect [] [$($parameters:tt)*] [$($values:tt)*] [$($passed:tt)*]
        ($send:ident, $receive:ident) $kind:ident $name:ident $have:ident $field:ident
        $($suffix:literal)?) =>
    {
        $crate::layered! { [$name $have $field $($suffix)?] ($($parameters)*)
            |layer, next| {
                let name = concat!("MPI_", stringify!($name));
                let call = CollectiveCall { name, kind: Kind::$kind, $($values)* };
                // One instance of the layer for all collectives with such arguments.
                layer.collective(call, call.through(&move |$send, $receive| next($($passed)*)))
            }
        }
    };
    (@required $next:expr) => { $next };
    (@optional $next:expr) => {
        match $next {
            Some(next) => next,
            None => return $crate::preload::calls::unsupported::<Table>(),
        }
    };
}
