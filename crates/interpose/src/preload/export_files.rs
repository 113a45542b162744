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
        use $crate::runtime::files::{
            AccessEnd, Coordination, FileAccess, FileLayer as _, FilePointer,
        };

        $crate::files! { @ends $width }
        // The method of the layer; where the access begins; what ends it.
        $crate::files! { @each $width
            file_write [offset: Offset] (Explicit(offset)) Call {
                File_write_at file_write_at file_write_at_c Independent;
                File_write_at_all file_write_at_all file_write_at_all_c Collective;
            }
            file_write [] (Individual) Call {
                File_write file_write file_write_c Independent;
                File_write_all file_write_all file_write_all_c Collective;
            }
            file_write [] (Shared) Call {
                File_write_shared file_write_shared file_write_shared_c Independent;
                File_write_ordered file_write_ordered file_write_ordered_c Collective;
            }
            file_write [offset: Offset] (Explicit(offset)) Request {
                File_iwrite_at file_iwrite_at file_iwrite_at_c Independent;
                File_iwrite_at_all file_iwrite_at_all file_iwrite_at_all_c Collective;
            }
            file_write [] (Individual) Request {
                File_iwrite file_iwrite file_iwrite_c Independent;
                File_iwrite_all file_iwrite_all file_iwrite_all_c Collective;
            }
            file_write [] (Shared) Request {
                File_iwrite_shared file_iwrite_shared file_iwrite_shared_c Independent;
            }
            file_write [offset: Offset] (Explicit(offset)) EndCall {
                File_write_at_all_begin file_write_at_all_begin file_write_at_all_begin_c
                    Collective;
            }
            file_write [] (Individual) EndCall {
                File_write_all_begin file_write_all_begin file_write_all_begin_c Collective;
            }
            file_write [] (Shared) EndCall {
                File_write_ordered_begin file_write_ordered_begin file_write_ordered_begin_c
                    Collective;
            }
            file_read [offset: Offset] (Explicit(offset)) Call {
                File_read_at file_read_at file_read_at_c Independent;
                File_read_at_all file_read_at_all file_read_at_all_c Collective;
            }
            file_read [] (Individual) Call {
                File_read file_read file_read_c Independent;
                File_read_all file_read_all file_read_all_c Collective;
            }
            file_read [offset: Offset] (Explicit(offset)) Request {
                File_iread_at file_iread_at file_iread_at_c Independent;
                File_iread_at_all file_iread_at_all file_iread_at_all_c Collective;
            }
            file_read [] (Individual) Request {
                File_iread file_iread file_iread_c Independent;
                File_iread_all file_iread_all file_iread_all_c Collective;
            }
            file_read [offset: Offset] (Explicit(offset)) EndCall {
                File_read_at_all_begin file_read_at_all_begin file_read_at_all_begin_c Collective;
            }
            file_read [] (Individual) EndCall {
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
                    let next: &dyn Fn(*mut c_void, *mut Status) -> c_int =
                        &move |buffer, status| next(file, buffer, status);
                    layer.file_end(file, buffer, status, next)
                }
            }
        )*
    };
    (@each $width:ident $($method:ident $offset:tt $pointer:tt $end:ident {
        $($name:ident $field:ident $large:ident $coordination:ident;)*
    })*) => {
        $($(
            $crate::files! { @$width $name $field $large
                $end $method $offset $pointer $coordination }
        )*)*
    };
    (@int $name:ident $field:ident $large:ident $($rest:tt)*) => {
        $crate::files! { @$($rest)* [$name optional $field] }
    };
    (@large $name:ident $field:ident $large:ident $($rest:tt)*) => {
        $crate::files! { @$($rest)* [$name optional $large "_c"] }
    };
    // What comes after the memory; what ends the access; what the library gets after the memory.
    (@Call $($rest:tt)*) => {
        $crate::files! {
            @export [status: *mut Status] (Call(status)) end (end.status()) $($rest)*
        }
    };
    (@Request $($rest:tt)*) => {
        $crate::files! {
            @export [request: *mut Request] (Request(request)) _end (request) $($rest)*
        }
    };
    (@EndCall $($rest:tt)*) => {
        $crate::files! { @export [] (EndCall) _end () $($rest)* }
    };
    (@export [$($last:ident: $last_type:ty)?] ($($ended:tt)+) $end:ident ($($given:expr)?)
        $method:ident [$($offset:ident: $offset_type:ty)?] ($pointer:ident $(($at:ident))?)
        $coordination:ident $function:tt) =>
    {
        $crate::layered! { $function
            (file: File, $($offset: $offset_type,)? buffer: *mut c_void, count: N,
                datatype: Datatype $(, $last: $last_type)?)
            |layer, next| {
                let memory = MessageData { buffer, count, datatype };
                let pointer = FilePointer::$pointer $(($at))?;
                let coordination = Coordination::$coordination;
                let access = FileAccess { file, pointer, coordination };
                let next: &dyn Fn(MessageData<Table, N>, AccessEnd<Table>) -> c_int =
                    &move |memory, $end| {
                        let MessageData { buffer, count, datatype } = memory;
                        next(file, $($offset,)? buffer, count, datatype $(, $given)?)
                    };
                layer.$method(access, memory, AccessEnd::$($ended)+, next)
            }
        }
    };
}
