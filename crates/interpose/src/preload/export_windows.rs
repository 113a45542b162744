//! [`windows!`](crate::windows!): the exported symbols of windows, by the rules of
//! [`preload!`](crate::preload!). Nothing of them is recorded.

/// Exports these functions with counts `N`. Used by [`preload!`](crate::preload!), in a module
/// that has `PRELOAD` and the types of the ABI.
#[doc(hidden)]
#[macro_export]
macro_rules! windows {
    (int) => {
        use $crate::preload::calls::windows::Meeting;

        $crate::windows! { @counted c_int []
            (win_create win_allocate win_allocate_shared put) }
        $crate::windows! { @each
            Win_free win_free (window: *mut Win)
                |next| { PRELOAD.window_goes(window, || next(window)) };
            Win_fence win_fence (asserted: c_int, window: Win)
                |next| {
                    PRELOAD.window_fenced((window, asserted), || next(asserted, window))
                };
            Win_post win_post (group: Group, asserted: c_int, window: Win)
                |next| {
                    let call = || next(group, asserted, window);
                    PRELOAD.window_meets(Meeting::Post, (window, group), call)
                };
            Win_start win_start (group: Group, asserted: c_int, window: Win)
                |next| {
                    let call = || next(group, asserted, window);
                    PRELOAD.window_meets(Meeting::Start, (window, group), call)
                };
            Win_complete win_complete (window: Win)
                |next| { PRELOAD.access_completes(window, || next(window)) };
            Win_wait win_wait (window: Win)
                |next| { PRELOAD.exposure_ends(window, || next(window), || true) };
            Win_test win_test (window: Win, flag: *mut c_int)
                |next| { PRELOAD.exposure_ends(window, || next(window, flag), || *flag != 0) };
            Win_lock win_lock (kind: c_int, rank: c_int, asserted: c_int, window: Win)
                |next| {
                    PRELOAD.window_locks(window);
                    next(kind, rank, asserted, window)
                };
            Win_lock_all win_lock_all (asserted: c_int, window: Win)
                |next| {
                    PRELOAD.window_locks(window);
                    next(asserted, window)
                };
        }
    };
    (large) => {
        $crate::windows! { @counted Aint ["_c"]
            (win_create_c win_allocate_c win_allocate_shared_c put_c) }
    };
    // Displacement units are integers of another type where counts are large.
    (@counted $unit:ty [$($suffix:literal)?]
        ($create:ident $allocate:ident $allocate_shared:ident $put:ident)) =>
    {
        use $crate::preload::calls::windows::Memory;
        use $crate::runtime::calls::PutCall;

        $crate::windows! { @made [$($suffix)?]
            Win_create $create
                (base: *mut c_void, size: Aint, unit: $unit, info: Info, comm: Comm, new: *mut Win)
                At(base);
            Win_allocate $allocate
                (size: Aint, unit: $unit, info: Info, comm: Comm, base: *mut c_void, new: *mut Win)
                Found(base);
            Win_allocate_shared $allocate_shared
                (size: Aint, unit: $unit, info: Info, comm: Comm, base: *mut c_void, new: *mut Win)
                Found(base);
        }
        $crate::exported! { [Put $($suffix)?]
            (buffer: *const c_void, count: N, datatype: Datatype, rank: c_int, displacement: Aint,
                target_count: N, target: Datatype, window: Win) |functions| {
            let next = $crate::collectives!(@optional functions.$put);
            // SAFETY: the program calls this as it would call MPI.
            unsafe {
                let origin = MessageData { buffer: buffer.cast_mut(), count, datatype };
                let target = (target_count, target);
                PRELOAD.put(&PutCall { origin, rank, displacement, target, window }, || {
                    next(buffer, count, datatype, rank, displacement, target.0, target.1, window)
                })
            }
        } }
    };
    (@made $suffix:tt $($name:ident $field:ident ($($argument:ident: $ty:ty),*)
        $memory:ident($base:ident);)*) =>
    {
        $( $crate::windows! { @one $suffix $name $field ($($argument: $ty),*) $memory($base) } )*
    };
    (@one [$($suffix:literal)?] $name:ident $field:ident
        ($($argument:ident: $ty:ty),*) $memory:ident($base:ident)) =>
    {
        $crate::exported! { [$name $($suffix)?] ($($argument: $ty),*) |functions| {
            let next = $crate::collectives!(@optional functions.$field);
            // SAFETY: the program calls this as it would call MPI.
            unsafe {
                let code = next($($argument),*);
                $crate::windows! { @tell code $memory($base) ($($argument),*) }
                code
            }
        } }
    };
    (@tell $code:ident At($base:ident)
        ($first:ident, $size:ident, $unit:ident, $info:ident, $comm:ident, $new:ident)) =>
    {
        let unit = Aint::try_from($unit).unwrap_or(-1);
        PRELOAD.window_made($code, $comm, (Memory::At($base), $size, unit), $new);
    };
    (@tell $code:ident Found($base:ident)
        ($size:ident, $unit:ident, $info:ident, $comm:ident, $first:ident, $new:ident)) =>
    {
        let unit = Aint::try_from($unit).unwrap_or(-1);
        PRELOAD.window_made($code, $comm, (Memory::Found($base), $size, unit), $new);
    };
    (@each $($name:ident $field:ident ($($argument:ident: $ty:ty),*)
        |$next:ident| $work:block;)*) =>
    {
        $(
            $crate::exported! { [$name] ($($argument: $ty),*) |functions| {
                let $next = $crate::collectives!(@optional functions.$field);
                // SAFETY: the program calls this as it would call MPI.
                unsafe { $work }
            } }
        )*
    };
}
