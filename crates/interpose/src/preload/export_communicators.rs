//! [`communicators!`](crate::communicators!): the exported symbols of what makes communicators, by
//! the rules of [`preload!`](crate::preload!). They are wrapped for traces, and some of them
//! because [`replace`](crate::replace) and [`node`](crate::node) number what they make.

/// Exports these functions. Used by [`preload!`](crate::preload!), in a module that has `PRELOAD`
/// and the types of the ABI.
///
/// After the arguments: where the new communicator comes to, and how it is told from others.
#[doc(hidden)]
#[macro_export]
macro_rules! communicators {
    () => {
        $crate::communicators! { @each
            Comm_dup comm_dup (comm: Comm, new: *mut Comm) new Of(comm);
            Comm_dup_with_info comm_dup_with_info
                (comm: Comm, info: Info, new: *mut Comm) new Of(comm);
            Comm_idup comm_idup (comm: Comm, new: *mut Comm, request: *mut Request) new Later(comm);
            Comm_create comm_create (comm: Comm, group: Group, new: *mut Comm) new Of(comm);
            Comm_create_group comm_create_group
                (comm: Comm, group: Group, tag: c_int, new: *mut Comm) new Among(comm, tag);
            Comm_split comm_split
                (comm: Comm, color: c_int, key: c_int, new: *mut Comm) new Of(comm);
            Comm_split_type comm_split_type
                (comm: Comm, kind: c_int, key: c_int, info: Info, new: *mut Comm) new Of(comm);
            Cart_create cart_create
                (comm: Comm, dimensions: c_int, sizes: *const c_int, periods: *const c_int,
                    reorder: c_int, new: *mut Comm) new Of(comm);
            Cart_sub cart_sub (comm: Comm, remain: *const c_int, new: *mut Comm) new Of(comm);
            Graph_create graph_create
                (comm: Comm, nodes: c_int, index: *const c_int, edges: *const c_int,
                    reorder: c_int, new: *mut Comm) new Of(comm);
            Dist_graph_create dist_graph_create
                (comm: Comm, count: c_int, sources: *const c_int, degrees: *const c_int,
                    destinations: *const c_int, weights: *const c_int, info: Info,
                    reorder: c_int, new: *mut Comm) new Of(comm);
            Dist_graph_create_adjacent dist_graph_create_adjacent
                (comm: Comm, indegree: c_int, sources: *const c_int, weights_in: *const c_int,
                    outdegree: c_int, destinations: *const c_int, weights_out: *const c_int,
                    info: Info, reorder: c_int, new: *mut Comm) new Of(comm);
            Intercomm_create intercomm_create
                (comm: Comm, leader: c_int, peers: Comm, remote_leader: c_int, tag: c_int,
                    new: *mut Comm) new Between(tag);
            Intercomm_merge intercomm_merge (comm: Comm, high: c_int, new: *mut Comm) new Of(comm);
        }
    };
    (@each $($name:ident $field:ident ($($argument:ident: $ty:ty),* $(,)?) $new:ident
        $maker:ident $parent:tt;)*) =>
    {
        $(
            $crate::exported! { [$name] ($($argument: $ty),*) |functions| {
                let next = functions.$field;
                // SAFETY: the program calls this as it would call MPI.
                unsafe {
                    let Some(recorder) = PRELOAD.recorder() else {
                        let code = next($($argument),*);
                        $crate::communicators! { @made $name code $new }
                        $crate::communicators! { @child $name code $new $parent }
                        return code;
                    };
                    let maker = $crate::record::communicators::Maker::$maker $parent;
                    let call: &dyn Fn() -> c_int = &move || next($($argument),*);
                    $crate::record::communicators::making(recorder, maker, $new, call)
                }
            } }
        )*
    };
    (@made Comm_dup $code:ident $new:ident) => {
        $crate::preload::calls::watched::made(&PRELOAD, $code, $new);
    };
    (@made Comm_split $code:ident $new:ident) => {
        $crate::preload::calls::watched::made(&PRELOAD, $code, $new);
    };
    (@made Cart_create $code:ident $new:ident) => {
        $crate::preload::calls::watched::made(&PRELOAD, $code, $new);
    };
    (@made $name:ident $code:ident $new:ident) => {};
    // Others have hints that come with the call, or are no calls of all processes.
    (@child Comm_dup $($made:tt)*) => { $crate::communicators! { @of_all $($made)* } };
    (@child Comm_create $($made:tt)*) => { $crate::communicators! { @of_all $($made)* } };
    (@child Comm_split $($made:tt)*) => { $crate::communicators! { @of_all $($made)* } };
    (@child Cart_create $($made:tt)*) => { $crate::communicators! { @of_all $($made)* } };
    (@child Cart_sub $($made:tt)*) => { $crate::communicators! { @of_all $($made)* } };
    (@child Graph_create $($made:tt)*) => { $crate::communicators! { @of_all $($made)* } };
    (@child $name:ident $code:ident $new:ident $parent:tt) => {};
    (@of_all $code:ident $new:ident ($parent:ident)) => {
        $crate::preload::calls::watched::child(&PRELOAD, $code, $parent, $new);
    };
}
