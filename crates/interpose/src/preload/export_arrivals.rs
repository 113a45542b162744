//! [`arrivals!`](crate::arrivals!): the exported symbols of calls that can tell the program that a
//! message has arrived, and that commloom has nothing else to do in, by the rules of
//! [`preload!`](crate::preload!). Freed receives have their data when such a call returns
//! ([`entry!`](crate::entry)).

/// Exports these functions. Used by [`preload!`](crate::preload!), in a module that has `PRELOAD`
/// and the types of the ABI.
#[doc(hidden)]
#[macro_export]
macro_rules! arrivals {
    () => {
        $crate::arrivals! { @each
            Comm_free comm_free required (comm: *mut Comm) [PRELOAD.lets_go_of(comm)];
            Comm_disconnect comm_disconnect optional (comm: *mut Comm) [PRELOAD.lets_go_of(comm)];
            Comm_set_info comm_set_info optional (comm: Comm, info: Info)
                [PRELOAD.is_told_about(comm)];
            Comm_accept comm_accept optional
                (port: *const c_char, info: Info, root: c_int, comm: Comm, new: *mut Comm);
            Comm_connect comm_connect optional
                (port: *const c_char, info: Info, root: c_int, comm: Comm, new: *mut Comm);
            Comm_spawn comm_spawn optional
                (command: *const c_char, arguments: *mut *mut c_char, most: c_int, info: Info,
                    root: c_int, comm: Comm, new: *mut Comm, codes: *mut c_int);
            Win_create_dynamic win_create_dynamic optional
                (info: Info, comm: Comm, new: *mut Win);
            Win_unlock win_unlock optional (rank: c_int, window: Win);
            Win_unlock_all win_unlock_all optional (window: Win);
            Win_flush win_flush optional (rank: c_int, window: Win);
            Win_flush_all win_flush_all optional (window: Win);
            Win_flush_local win_flush_local optional (rank: c_int, window: Win);
            Win_flush_local_all win_flush_local_all optional (window: Win);
            Win_sync win_sync optional (window: Win);
            File_open file_open optional
                (comm: Comm, name: *const c_char, mode: c_int, info: Info, new: *mut File);
            File_close file_close optional (file: *mut File) [PRELOAD.closes(file)];
            File_sync file_sync optional (file: File);
            File_set_size file_set_size optional (file: File, size: Offset);
            File_preallocate file_preallocate optional (file: File, size: Offset);
            File_set_view file_set_view optional
                (file: File, start: Offset, element: Datatype, view: Datatype, form: *const
                    c_char, info: Info) [PRELOAD.sees_as(file, form)];
            File_seek_shared file_seek_shared optional (file: File, offset: Offset, from: c_int);
            File_read_shared file_read_shared optional
                (file: File, buffer: *mut c_void, count: c_int, datatype: Datatype, status:
                    *mut Status);
            File_read_ordered file_read_ordered optional
                (file: File, buffer: *mut c_void, count: c_int, datatype: Datatype, status:
                    *mut Status);
        }
    };
    (@each $($name:ident $field:ident $have:ident ($($argument:ident: $ty:ty),*)
        $([$before:expr])?;)*) =>
    {
        $(
            $crate::exported! { [$name] ($($argument: $ty),*) |functions| {
                let next = $crate::collectives!(@$have functions.$field);
                // SAFETY: the program calls this as it would call MPI.
                unsafe {
                    $($before;)?
                    next($($argument),*)
                }
            } }
        )*
    };
}
