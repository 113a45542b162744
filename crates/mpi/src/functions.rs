//! The MPI functions that commloom calls or forwards to, as one table of function pointers.
//!
//! The list at the end names them. Their types are in [`prototypes`](crate::prototypes), which is
//! made of the table in `commloom-mpi-api`; a test there compares that table with every `mpi.h` it
//! finds.

use std::ffi::{CString, c_char, c_double, c_int, c_void};

use crate::abi::Abi;
use crate::library::{Library, LibraryError};
use crate::prototypes::prototype;

/// `MPI_Aint`: bytes.
pub type Aint = isize;
/// `MPI_Count`.
pub type Count = i64;

/// `MPI_Offset`: a place in a file.
pub type Offset = i64;

/// `MPI_Type_copy_attr_function`: old type, keyval, extra state, value, place for the new value,
/// flag that says whether the copy gets one.
pub type TypeCopyFunction<A> = unsafe extern "C" fn(
    <A as Abi>::Datatype,
    c_int,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_int,
) -> c_int;

/// `MPI_Type_delete_attr_function`: type, keyval, value, extra state.
pub type TypeDeleteFunction<A> =
    unsafe extern "C" fn(<A as Abi>::Datatype, c_int, *mut c_void, *mut c_void) -> c_int;

/// `MPI_Comm_copy_attr_function`: as [`TypeCopyFunction`], for communicators.
pub type CommCopyFunction<A> = unsafe extern "C" fn(
    <A as Abi>::Comm,
    c_int,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_int,
) -> c_int;

/// `MPI_Comm_delete_attr_function`: communicator, keyval, value, extra state.
pub type CommDeleteFunction<A> =
    unsafe extern "C" fn(<A as Abi>::Comm, c_int, *mut c_void, *mut c_void) -> c_int;

/// Which names to look up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// `MPI_X`: where a wrapped call goes on to, so that a profiling tool behind us sees it too.
    Mpi,
    /// `PMPI_X` where it is exported, else `MPI_X`: for calls of our own, which no tool should
    /// see.
    Pmpi,
}

macro_rules! functions {
    (required { $($field:ident)* } optional { $($ofield:ident)* }) => {
        /// Function pointers of one MPI library. Fields are named as in MPI without the prefix.
        pub struct Functions<A: Abi> {
            $(
                #[doc = concat!("`", prototype!(name $field), "`.")]
                pub $field: prototype!(type $field),
            )*
            $(
                #[doc = concat!("`", prototype!(name $ofield), "`, where the library has it.")]
                pub $ofield: Option<prototype!(type $ofield)>,
            )*
        }

        // Written out: derive does not go with a macro in a field's type.
        impl<A: Abi> Copy for Functions<A> {}
        impl<A: Abi> Clone for Functions<A> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<A: Abi> Functions<A> {
            /// Looks every function up in `library`.
            ///
            /// # Errors
            /// [`LibraryError::MissingSymbol`] names the first required function that is not
            /// there.
            ///
            /// # Safety
            /// `library` must be an MPI library of the ABI `A`.
            pub unsafe fn load(library: &Library, names: Names) -> Result<Self, LibraryError> {
                Ok(Functions {
                    $($field: {
                        let name = prototype!(name $field);
                        let symbol = find(library, names, name)
                            .ok_or(LibraryError::MissingSymbol { name })?;
                        // SAFETY: a symbol of this name in an MPI library of this ABI is a
                        // function with the standard's prototype, which a test compares with the
                        // headers.
                        unsafe {
                            std::mem::transmute::<*mut c_void, prototype!(type $field)>(symbol)
                        }
                    },)*
                    $($ofield: find(library, names, prototype!(name $ofield)).map(|symbol| {
                        // SAFETY: a function with the standard's prototype, by its name.
                        unsafe {
                            std::mem::transmute::<*mut c_void, prototype!(type $ofield)>(symbol)
                        }
                    }),)*
                })
            }
        }
    };
}

/// `name` is `MPI_Send`.
fn find(library: &Library, names: Names, name: &str) -> Option<*mut c_void> {
    let symbol = |name: String| library.function(&CString::new(name).ok()?);
    let own = || symbol(name.to_owned());
    match names {
        Names::Mpi => own(),
        Names::Pmpi => symbol(format!("P{name}")).or_else(own),
    }
}

functions! {
    required {
        // Environment.
        init init_thread initialized finalize finalized abort query_thread get_library_version
        get_version get_processor_name wtime pcontrol error_class error_string

        // Communicators.
        comm_rank comm_size comm_get_attr comm_create_keyval comm_set_attr comm_group
        comm_remote_group group_size group_translate_ranks group_free comm_set_errhandler
        comm_get_errhandler comm_call_errhandler comm_dup comm_dup_with_info comm_idup comm_create
        comm_create_group comm_split comm_split_type cart_create cart_sub graph_create
        dist_graph_create dist_graph_create_adjacent intercomm_create intercomm_merge comm_free
        errhandler_free barrier

        // Point to point.
        send bsend ssend rsend isend ibsend issend irsend recv irecv mprobe improbe mrecv imrecv
        sendrecv sendrecv_replace send_init bsend_init ssend_init rsend_init recv_init start
        startall probe iprobe cancel

        // Completion.
        wait waitall waitany waitsome test testall testany testsome request_free
        request_get_status

        // Statuses.
        get_count get_elements get_elements_x status_set_elements_x status_set_cancelled
        test_cancelled

        // Packing.
        pack unpack pack_size

        // Datatypes: life and attributes.
        type_commit type_free type_dup type_create_keyval type_free_keyval type_set_attr
        type_get_attr type_delete_attr

        // Datatypes: what they are.
        type_size_x type_get_extent_x type_get_true_extent_x type_get_envelope type_get_contents

        // Datatypes: constructors.
        type_contiguous type_vector type_create_hvector type_indexed type_create_hindexed
        type_create_indexed_block type_create_hindexed_block type_create_struct
        type_create_subarray type_create_darray type_create_resized type_create_f90_real
        type_create_f90_complex type_create_f90_integer

        // Communicators and their topologies.
        comm_test_inter topo_test cartdim_get cart_shift graph_neighbors_count
        dist_graph_neighbors_count dist_graph_neighbors

        // Collectives (MPI 4.1, chapters 6 and 8).
        bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv alltoallw
        reduce allreduce reduce_scatter reduce_scatter_block scan exscan reduce_local
        neighbor_allgather neighbor_allgatherv neighbor_alltoall neighbor_alltoallv
        neighbor_alltoallw

        // Non-blocking collectives.
        ibcast igather igatherv iscatter iscatterv iallgather iallgatherv ialltoall ialltoallv
        ialltoallw ineighbor_allgather ineighbor_allgatherv ineighbor_alltoall ineighbor_alltoallv
        ineighbor_alltoallw

        // Collectives that compute, and the barrier.
        ibarrier ireduce iallreduce iscan iexscan ireduce_scatter ireduce_scatter_block
    }
    optional {
        // What tells of other processes, besides messages and collectives.
        comm_disconnect comm_set_info comm_accept comm_connect comm_spawn win_create win_allocate
        win_allocate_shared win_create_dynamic win_free win_fence win_post win_start win_complete
        win_wait win_test win_lock win_lock_all win_unlock win_unlock_all win_flush win_flush_all
        win_flush_local win_flush_local_all win_sync put file_open file_close file_sync
        file_set_size file_preallocate file_set_view file_seek_shared file_read_shared
        file_read_ordered

        // Data of files (MPI 4.1, section 14.4).
        file_get_position file_seek file_write file_write_at file_write_all file_write_at_all
        file_write_shared file_write_ordered file_iwrite file_iwrite_at file_iwrite_all
        file_iwrite_at_all file_iwrite_shared file_write_all_begin file_write_all_end
        file_write_at_all_begin file_write_at_all_end file_write_ordered_begin
        file_write_ordered_end file_read file_read_at file_read_all file_read_at_all file_iread
        file_iread_at file_iread_all file_iread_at_all file_read_all_begin file_read_all_end
        file_read_at_all_begin file_read_at_all_end

        // The same with large counts (MPI 4.0).
        file_write_c file_write_at_c file_write_all_c file_write_at_all_c file_write_shared_c
        file_write_ordered_c file_iwrite_c file_iwrite_at_c file_iwrite_all_c
        file_iwrite_at_all_c file_iwrite_shared_c file_write_all_begin_c
        file_write_at_all_begin_c file_write_ordered_begin_c file_read_c file_read_at_c
        file_read_all_c file_read_at_all_c file_iread_c file_iread_at_c file_iread_all_c
        file_iread_at_all_c file_read_all_begin_c file_read_at_all_begin_c

        // Windows with large counts (MPI 4.0).
        win_create_c win_allocate_c win_allocate_shared_c put_c

        // Of MPI 4.0; Open MPI 5 has them too.
        session_init session_finalize isendrecv isendrecv_replace isendrecv_c isendrecv_replace_c

        // Of MPI 4.1.
        request_get_status_all request_get_status_any request_get_status_some

        // Large counts (MPI 4.0).
        send_c bsend_c ssend_c rsend_c isend_c ibsend_c issend_c irsend_c recv_c irecv_c mrecv_c
        imrecv_c sendrecv_c sendrecv_replace_c send_init_c bsend_init_c ssend_init_c rsend_init_c
        recv_init_c get_count_c get_elements_c pack_c unpack_c type_get_envelope_c
        type_get_contents_c type_contiguous_c
        type_vector_c type_create_hvector_c type_indexed_c type_create_hindexed_c
        type_create_indexed_block_c type_create_hindexed_block_c type_create_struct_c
        type_create_subarray_c type_create_darray_c type_create_resized_c type_get_value_index

        // Persistent collectives (MPI 4.0).
        bcast_init gather_init gatherv_init scatter_init scatterv_init allgather_init
        allgatherv_init alltoall_init alltoallv_init alltoallw_init neighbor_allgather_init
        neighbor_allgatherv_init neighbor_alltoall_init neighbor_alltoallv_init
        neighbor_alltoallw_init

        // Collectives with large counts (MPI 4.0).
        bcast_c gather_c gatherv_c scatter_c scatterv_c allgather_c allgatherv_c alltoall_c
        alltoallv_c alltoallw_c neighbor_allgather_c neighbor_allgatherv_c neighbor_alltoall_c
        neighbor_alltoallv_c neighbor_alltoallw_c ibcast_c igather_c igatherv_c iscatter_c
        iscatterv_c iallgather_c iallgatherv_c ialltoall_c ialltoallv_c ialltoallw_c
        ineighbor_allgather_c ineighbor_allgatherv_c ineighbor_alltoall_c ineighbor_alltoallv_c
        ineighbor_alltoallw_c bcast_init_c gather_init_c gatherv_init_c scatter_init_c
        scatterv_init_c allgather_init_c allgatherv_init_c alltoall_init_c alltoallv_init_c
        alltoallw_init_c neighbor_allgather_init_c neighbor_allgatherv_init_c
        neighbor_alltoall_init_c neighbor_alltoallv_init_c neighbor_alltoallw_init_c

        // The same, persistent and large.
        barrier_init reduce_init allreduce_init scan_init exscan_init reduce_scatter_init
        reduce_scatter_block_init reduce_c allreduce_c scan_c exscan_c reduce_scatter_c
        reduce_scatter_block_c ireduce_c iallreduce_c iscan_c iexscan_c ireduce_scatter_c
        ireduce_scatter_block_c reduce_init_c allreduce_init_c scan_init_c exscan_init_c
        reduce_scatter_init_c reduce_scatter_block_init_c
    }
}
