//! [`preload!`]: the exported symbols of one preloaded library.

/// Exports the wrapped MPI functions for one ABI. A crate calls it once, at its root.
#[macro_export]
macro_rules! preload {
    ($abi:ty) => {
        use ::std::ffi::{c_int, c_void};
        use $crate::reexport::Abi;

        static PRELOAD: $crate::Preload<$abi> = $crate::Preload::new();

        type Datatype = <$abi as Abi>::Datatype;
        type Comm = <$abi as Abi>::Comm;
        type Request = <$abi as Abi>::Request;
        type Status = <$abi as Abi>::Status;

        $crate::preload! { @functions
            MPI_Finalize environment::finalize();
            MPI_Type_commit types::commit(datatype: *mut Datatype);
            MPI_Send point_to_point::send(buffer: *const c_void, count: c_int, datatype: Datatype,
                destination: c_int, tag: c_int, comm: Comm);
            MPI_Ssend point_to_point::ssend(buffer: *const c_void, count: c_int,
                datatype: Datatype, destination: c_int, tag: c_int, comm: Comm);
            MPI_Isend point_to_point::isend(buffer: *const c_void, count: c_int,
                datatype: Datatype, destination: c_int, tag: c_int, comm: Comm,
                request: *mut Request);
            MPI_Recv point_to_point::recv(buffer: *mut c_void, count: c_int, datatype: Datatype,
                source: c_int, tag: c_int, comm: Comm, status: *mut Status);
            MPI_Irecv point_to_point::irecv(buffer: *mut c_void, count: c_int, datatype: Datatype,
                source: c_int, tag: c_int, comm: Comm, request: *mut Request);
            MPI_Sendrecv point_to_point::sendrecv(send_buffer: *const c_void, send_count: c_int,
                send_datatype: Datatype, destination: c_int, send_tag: c_int,
                buffer: *mut c_void, count: c_int, datatype: Datatype, source: c_int, tag: c_int,
                comm: Comm, status: *mut Status);
            MPI_Wait completion::wait(request: *mut Request, status: *mut Status);
            MPI_Test completion::test(request: *mut Request, flag: *mut c_int,
                status: *mut Status);
            MPI_Waitall completion::waitall(count: c_int, requests: *mut Request,
                statuses: *mut Status);
            MPI_Testall completion::testall(count: c_int, requests: *mut Request,
                flag: *mut c_int, statuses: *mut Status);
            MPI_Waitany completion::waitany(count: c_int, requests: *mut Request,
                index: *mut c_int, status: *mut Status);
            MPI_Testany completion::testany(count: c_int, requests: *mut Request,
                index: *mut c_int, flag: *mut c_int, status: *mut Status);
            MPI_Waitsome completion::waitsome(count: c_int, requests: *mut Request,
                completed: *mut c_int, indices: *mut c_int, statuses: *mut Status);
            MPI_Testsome completion::testsome(count: c_int, requests: *mut Request,
                completed: *mut c_int, indices: *mut c_int, statuses: *mut Status);
            MPI_Request_free completion::request_free(request: *mut Request);
            MPI_Request_get_status completion::request_get_status(request: Request,
                flag: *mut c_int, status: *mut Status);
            MPI_Pack packing::pack(memory: *const c_void, count: c_int, datatype: Datatype,
                packed: *mut c_void, size: c_int, position: *mut c_int, comm: Comm);
            MPI_Unpack packing::unpack(packed: *const c_void, size: c_int, position: *mut c_int,
                memory: *mut c_void, count: c_int, datatype: Datatype, comm: Comm);
        }
    };
    (@functions $($name:ident $module:ident::$function:ident(
        $($argument:ident: $ty:ty),* $(,)?
    );)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`, wrapped.")]
            ///
            /// # Safety
            /// As the MPI call.
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, clippy::too_many_arguments)]
            pub unsafe extern "C" fn $name($($argument: $ty),*) -> c_int {
                // SAFETY: the program calls this as it would call MPI.
                unsafe { $crate::calls::$module::$function(&PRELOAD, $($argument),*) }
            }
        )*
    };
}
