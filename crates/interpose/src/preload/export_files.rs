//! [`files!`](crate::files!): the exported symbols of what reads and writes data of files, by the
//! rules of [`preload!`](crate::preload!). Reads at the shared file pointer are not among them: a
//! read that comes short could not be made again (see
//! `accelerate/file_read.rs`).

/// Exports these functions with counts `N`. Used by [`preload!`](crate::preload!), in a module
/// that has `PRELOAD` and the types of the ABI.
#[doc(hidden)]
#[macro_export]
macro_rules! files {
    ($width:ident) => {
        use $crate::runtime::files::{Coordination, FileAccess, FileLayer as _, FilePointer};

        $crate::files! { @ends $width }
        // The method of the layer; where the access begins; what comes after the memory, what of
        // it the layer sees, and what of that it changes.
        $crate::files! { @each $width
            file_write [offset: Offset] (Explicit(offset)) [status: *mut Status] () () {
                File_write_at file_write_at file_write_at_c Independent;
                File_write_at_all file_write_at_all file_write_at_all_c Collective;
            }
            file_write [] (Individual) [status: *mut Status] () () {
                File_write file_write file_write_c Independent;
                File_write_all file_write_all file_write_all_c Collective;
            }
            file_write [] (Shared) [status: *mut Status] () () {
                File_write_shared file_write_shared file_write_shared_c Independent;
                File_write_ordered file_write_ordered file_write_ordered_c Collective;
            }
            file_iwrite [offset: Offset] (Explicit(offset)) [request: *mut Request] (request) () {
                File_iwrite_at file_iwrite_at file_iwrite_at_c Independent;
                File_iwrite_at_all file_iwrite_at_all file_iwrite_at_all_c Collective;
            }
            file_iwrite [] (Individual) [request: *mut Request] (request) () {
                File_iwrite file_iwrite file_iwrite_c Independent;
                File_iwrite_all file_iwrite_all file_iwrite_all_c Collective;
            }
            file_iwrite [] (Shared) [request: *mut Request] (request) () {
                File_iwrite_shared file_iwrite_shared file_iwrite_shared_c Independent;
            }
            file_write_begin [offset: Offset] (Explicit(offset)) [] () () {
                File_write_at_all_begin file_write_at_all_begin file_write_at_all_begin_c
                    Collective;
            }
            file_write_begin [] (Individual) [] () () {
                File_write_all_begin file_write_all_begin file_write_all_begin_c Collective;
            }
            file_write_begin [] (Shared) [] () () {
                File_write_ordered_begin file_write_ordered_begin file_write_ordered_begin_c
                    Collective;
            }
            file_read [offset: Offset] (Explicit(offset)) [status: *mut Status] (status) (status) {
                File_read_at file_read_at file_read_at_c Independent;
                File_read_at_all file_read_at_all file_read_at_all_c Collective;
            }
            file_read [] (Individual) [status: *mut Status] (status) (status) {
                File_read file_read file_read_c Independent;
                File_read_all file_read_all file_read_all_c Collective;
            }
            file_iread [offset: Offset] (Explicit(offset)) [request: *mut Request] (request) () {
                File_iread_at file_iread_at file_iread_at_c Independent;
                File_iread_at_all file_iread_at_all file_iread_at_all_c Collective;
            }
            file_iread [] (Individual) [request: *mut Request] (request) () {
                File_iread file_iread file_iread_c Independent;
                File_iread_all file_iread_all file_iread_all_c Collective;
            }
            file_read_begin [offset: Offset] (Explicit(offset)) [] () () {
                File_read_at_all_begin file_read_at_all_begin file_read_at_all_begin_c Collective;
            }
            file_read_begin [] (Individual) [] () () {
                File_read_all_begin file_read_all_begin file_read_all_begin_c Collective;
            }
        }
    };
    // Nothing is counted: there is one width.
    (@ends int) => {
        $crate::files! { @end
            File_write_at_all_end file_write_at_all_end;
            File_write_all_end file_write_all_end;
            File_write_ordered_end file_write_ordered_end;
            File_read_at_all_end file_read_at_all_end;
            File_read_all_end file_read_all_end;
        }
    };
    (@ends large) => {};
    (@end $($name:ident $field:ident;)*) => {
        $(
            $crate::layered! { [$name optional $field]
                (file: File, buffer: *mut c_void, status: *mut Status)
                |layer, next| {
                    layer.file_end(file, buffer, status, move |buffer, status| {
                        next(file, buffer, status)
                    })
                }
            }
        )*
    };
    (@each $width:ident $($method:ident $offset:tt $pointer:tt $last:tt $seen:tt $changed:tt {
        $($name:ident $field:ident $large:ident $coordination:ident;)*
    })*) => {
        $($(
            $crate::files! { @$width $name $field $large
                $method $offset $pointer $last $seen $changed $coordination }
        )*)*
    };
    (@int $name:ident $field:ident $large:ident $($rest:tt)*) => {
        $crate::files! { @export [$name optional $field] $($rest)* }
    };
    (@large $name:ident $field:ident $large:ident $($rest:tt)*) => {
        $crate::files! { @export [$name optional $large "_c"] $($rest)* }
    };
    (@export $function:tt $method:ident [$($offset:ident: $offset_type:ty)?]
        ($pointer:ident $(($at:ident))?) [$($last:ident: $last_type:ty)?] ($($seen:ident)?)
        ($($changed:ident)?) $coordination:ident) =>
    {
        $crate::layered! { $function
            (file: File, $($offset: $offset_type,)? buffer: *mut c_void, count: N,
                datatype: Datatype $(, $last: $last_type)?)
            |layer, next| {
                let memory = $crate::runtime::calls::MessageData { buffer, count, datatype };
                let pointer = FilePointer::$pointer $(($at))?;
                let coordination = Coordination::$coordination;
                let access = FileAccess { file, pointer, coordination };
                layer.$method(access, memory, $($seen,)? move |memory $(, $changed)?| {
                    let (buffer, count, datatype) = (memory.buffer, memory.count, memory.datatype);
                    next(file, $($offset,)? buffer, count, datatype $(, $last)?)
                })
            }
        }
    };
}
