//! The MPI functions that commloom calls or forwards to, as one table of function pointers.
//!
//! One line per function: its field, its name, its C prototype. The prototypes are compared with
//! every `mpi.h` that `tests/abi_probe.rs` finds, through [`SIGNATURES`].

use std::ffi::{CString, c_char, c_double, c_int, c_void};

use crate::abi::Abi;
use crate::library::{Library, LibraryError};

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
    /// `PMPI_X` where it is exported, else `MPI_X`: for calls of our own, which no tool should see.
    Pmpi,
}

/// The prototype of one function, as written in this crate.
#[derive(Debug, Clone, Copy)]
pub struct Signature {
    /// `MPI_Send`.
    pub name: &'static str,
    /// Rust types of the arguments.
    pub arguments: &'static [&'static str],
    /// Rust type of the result.
    pub result: &'static str,
    /// Whether every library of the supported ABIs has it.
    pub required: bool,
}

macro_rules! functions {
    (
        required { $($field:ident $name:literal ($($arg:ty),*) $(-> $ret:ty)?;)* }
        optional { $($ofield:ident $oname:literal ($($oarg:ty),*);)* }
    ) => {
        /// Function pointers of one MPI library. Fields are named as in MPI without the prefix.
        pub struct Functions<A: Abi> {
            $(
                #[doc = concat!("`MPI_", $name, "`.")]
                pub $field: unsafe extern "C" fn($($arg),*) -> functions!(@ret $($ret)?),
            )*
            $(
                #[doc = concat!("`MPI_", $oname, "`, where the library has it.")]
                pub $ofield: Option<unsafe extern "C" fn($($oarg),*) -> c_int>,
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
            /// [`LibraryError::MissingSymbol`] names the first required function that is not there.
            ///
            /// # Safety
            /// `library` must be an MPI library of the ABI `A`.
            pub unsafe fn load(library: &Library, names: Names) -> Result<Self, LibraryError> {
                Ok(Functions {
                    $($field: {
                        let symbol = find(library, names, $name)
                            .ok_or(LibraryError::MissingSymbol { name: concat!("MPI_", $name) })?;
                        // SAFETY: a symbol of this name in an MPI library of this ABI is a function
                        // with this prototype; the probe test compares it with the headers.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($arg),*) -> functions!(@ret $($ret)?),
                            >(symbol)
                        }
                    },)*
                    $($ofield: find(library, names, $oname).map(|symbol| {
                        // SAFETY: as above.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($oarg),*) -> c_int,
                            >(symbol)
                        }
                    }),)*
                })
            }
        }

        /// Every prototype in [`Functions`], for the check against headers.
        pub const SIGNATURES: &[Signature] = &[
            $(Signature {
                name: concat!("MPI_", $name),
                arguments: &[$(stringify!($arg)),*],
                result: functions!(@name $($ret)?),
                required: true,
            },)*
            $(Signature {
                name: concat!("MPI_", $oname),
                arguments: &[$(stringify!($oarg)),*],
                result: "c_int",
                required: false,
            },)*
        ];
    };
    (@ret) => { c_int };
    (@ret $ret:ty) => { $ret };
    (@name) => { "c_int" };
    (@name $ret:ty) => { stringify!($ret) };
}

fn find(library: &Library, names: Names, name: &str) -> Option<*mut c_void> {
    let symbol = |prefix: &str| {
        let name = CString::new(format!("{prefix}{name}")).ok()?;
        library.function(&name)
    };
    match names {
        Names::Mpi => symbol("MPI_"),
        Names::Pmpi => symbol("PMPI_").or_else(|| symbol("MPI_")),
    }
}

functions! {
    required {
        // Environment.
        init "Init" (*mut c_int, *mut *mut *mut c_char);
        init_thread "Init_thread" (*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int);
        initialized "Initialized" (*mut c_int);
        finalize "Finalize" ();
        finalized "Finalized" (*mut c_int);
        abort "Abort" (A::Comm, c_int);
        query_thread "Query_thread" (*mut c_int);
        get_library_version "Get_library_version" (*mut c_char, *mut c_int);
        get_version "Get_version" (*mut c_int, *mut c_int);
        get_processor_name "Get_processor_name" (*mut c_char, *mut c_int);
        wtime "Wtime" () -> c_double;
        pcontrol "Pcontrol" (c_int); // Variadic in C: the level alone is passed on.
        error_class "Error_class" (c_int, *mut c_int);
        error_string "Error_string" (c_int, *mut c_char, *mut c_int);

        // Communicators.
        comm_rank "Comm_rank" (A::Comm, *mut c_int);
        comm_size "Comm_size" (A::Comm, *mut c_int);
        comm_get_attr "Comm_get_attr" (A::Comm, c_int, *mut c_void, *mut c_int);
        comm_create_keyval "Comm_create_keyval" (CommCopyFunction<A>, CommDeleteFunction<A>, *mut c_int, *mut c_void);
        comm_set_attr "Comm_set_attr" (A::Comm, c_int, *mut c_void);
        comm_group "Comm_group" (A::Comm, *mut A::Group);
        comm_remote_group "Comm_remote_group" (A::Comm, *mut A::Group);
        group_size "Group_size" (A::Group, *mut c_int);
        group_translate_ranks "Group_translate_ranks" (A::Group, c_int, *const c_int, A::Group, *mut c_int);
        group_free "Group_free" (*mut A::Group);
        comm_set_errhandler "Comm_set_errhandler" (A::Comm, A::Errhandler);
        comm_get_errhandler "Comm_get_errhandler" (A::Comm, *mut A::Errhandler);
        comm_call_errhandler "Comm_call_errhandler" (A::Comm, c_int);
        comm_dup "Comm_dup" (A::Comm, *mut A::Comm);
        comm_dup_with_info "Comm_dup_with_info" (A::Comm, A::Info, *mut A::Comm);
        comm_idup "Comm_idup" (A::Comm, *mut A::Comm, *mut A::Request);
        comm_create "Comm_create" (A::Comm, A::Group, *mut A::Comm);
        comm_create_group "Comm_create_group" (A::Comm, A::Group, c_int, *mut A::Comm);
        comm_split "Comm_split" (A::Comm, c_int, c_int, *mut A::Comm);
        comm_split_type "Comm_split_type" (A::Comm, c_int, c_int, A::Info, *mut A::Comm);
        cart_create "Cart_create" (A::Comm, c_int, *const c_int, *const c_int, c_int, *mut A::Comm);
        cart_sub "Cart_sub" (A::Comm, *const c_int, *mut A::Comm);
        graph_create "Graph_create" (A::Comm, c_int, *const c_int, *const c_int, c_int, *mut A::Comm);
        dist_graph_create "Dist_graph_create" (A::Comm, c_int, *const c_int, *const c_int, *const c_int, *const c_int, A::Info, c_int, *mut A::Comm);
        dist_graph_create_adjacent "Dist_graph_create_adjacent" (A::Comm, c_int, *const c_int, *const c_int, c_int, *const c_int, *const c_int, A::Info, c_int, *mut A::Comm);
        intercomm_create "Intercomm_create" (A::Comm, c_int, A::Comm, c_int, c_int, *mut A::Comm);
        intercomm_merge "Intercomm_merge" (A::Comm, c_int, *mut A::Comm);
        comm_free "Comm_free" (*mut A::Comm);
        errhandler_free "Errhandler_free" (*mut A::Errhandler);
        barrier "Barrier" (A::Comm);

        // Point to point.
        send "Send" (*const c_void, c_int, A::Datatype, c_int, c_int, A::Comm);
        bsend "Bsend" (*const c_void, c_int, A::Datatype, c_int, c_int, A::Comm);
        ssend "Ssend" (*const c_void, c_int, A::Datatype, c_int, c_int, A::Comm);
        rsend "Rsend" (*const c_void, c_int, A::Datatype, c_int, c_int, A::Comm);
        isend "Isend" (*const c_void, c_int, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        ibsend "Ibsend" (*const c_void, c_int, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        issend "Issend" (*const c_void, c_int, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        irsend "Irsend" (*const c_void, c_int, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        recv "Recv" (*mut c_void, c_int, A::Datatype, c_int, c_int, A::Comm, *mut A::Status);
        irecv "Irecv" (*mut c_void, c_int, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        mprobe "Mprobe" (c_int, c_int, A::Comm, *mut A::Message, *mut A::Status);
        improbe "Improbe" (c_int, c_int, A::Comm, *mut c_int, *mut A::Message, *mut A::Status);
        mrecv "Mrecv" (*mut c_void, c_int, A::Datatype, *mut A::Message, *mut A::Status);
        imrecv "Imrecv" (*mut c_void, c_int, A::Datatype, *mut A::Message, *mut A::Request);
        sendrecv "Sendrecv" (*const c_void, c_int, A::Datatype, c_int, c_int, *mut c_void, c_int, A::Datatype, c_int, c_int, A::Comm, *mut A::Status);
        sendrecv_replace "Sendrecv_replace" (*mut c_void, c_int, A::Datatype, c_int, c_int, c_int, c_int, A::Comm, *mut A::Status);
        send_init "Send_init" (*const c_void, c_int, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        bsend_init "Bsend_init" (*const c_void, c_int, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        ssend_init "Ssend_init" (*const c_void, c_int, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        rsend_init "Rsend_init" (*const c_void, c_int, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        recv_init "Recv_init" (*mut c_void, c_int, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        start "Start" (*mut A::Request);
        startall "Startall" (c_int, *mut A::Request);
        probe "Probe" (c_int, c_int, A::Comm, *mut A::Status);
        iprobe "Iprobe" (c_int, c_int, A::Comm, *mut c_int, *mut A::Status);
        cancel "Cancel" (*mut A::Request);

        // Completion.
        wait "Wait" (*mut A::Request, *mut A::Status);
        waitall "Waitall" (c_int, *mut A::Request, *mut A::Status);
        waitany "Waitany" (c_int, *mut A::Request, *mut c_int, *mut A::Status);
        waitsome "Waitsome" (c_int, *mut A::Request, *mut c_int, *mut c_int, *mut A::Status);
        test "Test" (*mut A::Request, *mut c_int, *mut A::Status);
        testall "Testall" (c_int, *mut A::Request, *mut c_int, *mut A::Status);
        testany "Testany" (c_int, *mut A::Request, *mut c_int, *mut c_int, *mut A::Status);
        testsome "Testsome" (c_int, *mut A::Request, *mut c_int, *mut c_int, *mut A::Status);
        request_free "Request_free" (*mut A::Request);
        request_get_status "Request_get_status" (A::Request, *mut c_int, *mut A::Status);

        // Statuses.
        get_count "Get_count" (*const A::Status, A::Datatype, *mut c_int);
        get_elements "Get_elements" (*const A::Status, A::Datatype, *mut c_int);
        get_elements_x "Get_elements_x" (*const A::Status, A::Datatype, *mut Count);
        status_set_elements_x "Status_set_elements_x" (*mut A::Status, A::Datatype, Count);
        status_set_cancelled "Status_set_cancelled" (*mut A::Status, c_int);
        test_cancelled "Test_cancelled" (*const A::Status, *mut c_int);

        // Packing.
        pack "Pack" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, *mut c_int, A::Comm);
        unpack "Unpack" (*const c_void, c_int, *mut c_int, *mut c_void, c_int, A::Datatype, A::Comm);
        pack_size "Pack_size" (c_int, A::Datatype, A::Comm, *mut c_int);

        // Datatypes: life and attributes.
        type_commit "Type_commit" (*mut A::Datatype);
        type_free "Type_free" (*mut A::Datatype);
        type_dup "Type_dup" (A::Datatype, *mut A::Datatype);
        type_create_keyval "Type_create_keyval" (TypeCopyFunction<A>, TypeDeleteFunction<A>, *mut c_int, *mut c_void);
        type_free_keyval "Type_free_keyval" (*mut c_int);
        type_set_attr "Type_set_attr" (A::Datatype, c_int, *mut c_void);
        type_get_attr "Type_get_attr" (A::Datatype, c_int, *mut c_void, *mut c_int);
        type_delete_attr "Type_delete_attr" (A::Datatype, c_int);

        // Datatypes: what they are.
        type_size_x "Type_size_x" (A::Datatype, *mut Count);
        type_get_extent_x "Type_get_extent_x" (A::Datatype, *mut Count, *mut Count);
        type_get_true_extent_x "Type_get_true_extent_x" (A::Datatype, *mut Count, *mut Count);
        type_get_envelope "Type_get_envelope" (A::Datatype, *mut c_int, *mut c_int, *mut c_int, *mut c_int);
        type_get_contents "Type_get_contents" (A::Datatype, c_int, c_int, c_int, *mut c_int, *mut Aint, *mut A::Datatype);

        // Datatypes: constructors.
        type_contiguous "Type_contiguous" (c_int, A::Datatype, *mut A::Datatype);
        type_vector "Type_vector" (c_int, c_int, c_int, A::Datatype, *mut A::Datatype);
        type_create_hvector "Type_create_hvector" (c_int, c_int, Aint, A::Datatype, *mut A::Datatype);
        type_indexed "Type_indexed" (c_int, *const c_int, *const c_int, A::Datatype, *mut A::Datatype);
        type_create_hindexed "Type_create_hindexed" (c_int, *const c_int, *const Aint, A::Datatype, *mut A::Datatype);
        type_create_indexed_block "Type_create_indexed_block" (c_int, c_int, *const c_int, A::Datatype, *mut A::Datatype);
        type_create_hindexed_block "Type_create_hindexed_block" (c_int, c_int, *const Aint, A::Datatype, *mut A::Datatype);
        type_create_struct "Type_create_struct" (c_int, *const c_int, *const Aint, *const A::Datatype, *mut A::Datatype);
        type_create_subarray "Type_create_subarray" (c_int, *const c_int, *const c_int, *const c_int, c_int, A::Datatype, *mut A::Datatype);
        type_create_darray "Type_create_darray" (c_int, c_int, c_int, *const c_int, *const c_int, *const c_int, *const c_int, c_int, A::Datatype, *mut A::Datatype);
        type_create_resized "Type_create_resized" (A::Datatype, Aint, Aint, *mut A::Datatype);
        type_create_f90_real "Type_create_f90_real" (c_int, c_int, *mut A::Datatype);
        type_create_f90_complex "Type_create_f90_complex" (c_int, c_int, *mut A::Datatype);
        type_create_f90_integer "Type_create_f90_integer" (c_int, *mut A::Datatype);

        // Communicators and their topologies.
        comm_test_inter "Comm_test_inter" (A::Comm, *mut c_int);
        topo_test "Topo_test" (A::Comm, *mut c_int);
        cartdim_get "Cartdim_get" (A::Comm, *mut c_int);
        cart_shift "Cart_shift" (A::Comm, c_int, c_int, *mut c_int, *mut c_int);
        graph_neighbors_count "Graph_neighbors_count" (A::Comm, c_int, *mut c_int);
        dist_graph_neighbors_count "Dist_graph_neighbors_count" (A::Comm, *mut c_int, *mut c_int, *mut c_int);
        dist_graph_neighbors "Dist_graph_neighbors" (A::Comm, c_int, *mut c_int, *mut c_int, c_int, *mut c_int, *mut c_int);

        // Collectives (MPI 4.1, chapters 6 and 8).
        bcast "Bcast" (*mut c_void, c_int, A::Datatype, c_int, A::Comm);
        gather "Gather" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, c_int, A::Comm);
        gatherv "Gatherv" (*const c_void, c_int, A::Datatype, *mut c_void, *const c_int, *const c_int, A::Datatype, c_int, A::Comm);
        scatter "Scatter" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, c_int, A::Comm);
        scatterv "Scatterv" (*const c_void, *const c_int, *const c_int, A::Datatype, *mut c_void, c_int, A::Datatype, c_int, A::Comm);
        allgather "Allgather" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, A::Comm);
        allgatherv "Allgatherv" (*const c_void, c_int, A::Datatype, *mut c_void, *const c_int, *const c_int, A::Datatype, A::Comm);
        alltoall "Alltoall" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, A::Comm);
        alltoallv "Alltoallv" (*const c_void, *const c_int, *const c_int, A::Datatype, *mut c_void, *const c_int, *const c_int, A::Datatype, A::Comm);
        alltoallw "Alltoallw" (*const c_void, *const c_int, *const c_int, *const A::Datatype, *mut c_void, *const c_int, *const c_int, *const A::Datatype, A::Comm);
        reduce "Reduce" (*const c_void, *mut c_void, c_int, A::Datatype, A::Op, c_int, A::Comm);
        allreduce "Allreduce" (*const c_void, *mut c_void, c_int, A::Datatype, A::Op, A::Comm);
        reduce_scatter "Reduce_scatter" (*const c_void, *mut c_void, *const c_int, A::Datatype, A::Op, A::Comm);
        reduce_scatter_block "Reduce_scatter_block" (*const c_void, *mut c_void, c_int, A::Datatype, A::Op, A::Comm);
        scan "Scan" (*const c_void, *mut c_void, c_int, A::Datatype, A::Op, A::Comm);
        exscan "Exscan" (*const c_void, *mut c_void, c_int, A::Datatype, A::Op, A::Comm);
        reduce_local "Reduce_local" (*const c_void, *mut c_void, c_int, A::Datatype, A::Op);
        neighbor_allgather "Neighbor_allgather" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, A::Comm);
        neighbor_allgatherv "Neighbor_allgatherv" (*const c_void, c_int, A::Datatype, *mut c_void, *const c_int, *const c_int, A::Datatype, A::Comm);
        neighbor_alltoall "Neighbor_alltoall" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, A::Comm);
        neighbor_alltoallv "Neighbor_alltoallv" (*const c_void, *const c_int, *const c_int, A::Datatype, *mut c_void, *const c_int, *const c_int, A::Datatype, A::Comm);
        neighbor_alltoallw "Neighbor_alltoallw" (*const c_void, *const c_int, *const Aint, *const A::Datatype, *mut c_void, *const c_int, *const Aint, *const A::Datatype, A::Comm);

        // Non-blocking collectives.
        ibcast "Ibcast" (*mut c_void, c_int, A::Datatype, c_int, A::Comm, *mut A::Request);
        igather "Igather" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, c_int, A::Comm, *mut A::Request);
        igatherv "Igatherv" (*const c_void, c_int, A::Datatype, *mut c_void, *const c_int, *const c_int, A::Datatype, c_int, A::Comm, *mut A::Request);
        iscatter "Iscatter" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, c_int, A::Comm, *mut A::Request);
        iscatterv "Iscatterv" (*const c_void, *const c_int, *const c_int, A::Datatype, *mut c_void, c_int, A::Datatype, c_int, A::Comm, *mut A::Request);
        iallgather "Iallgather" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, A::Comm, *mut A::Request);
        iallgatherv "Iallgatherv" (*const c_void, c_int, A::Datatype, *mut c_void, *const c_int, *const c_int, A::Datatype, A::Comm, *mut A::Request);
        ialltoall "Ialltoall" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, A::Comm, *mut A::Request);
        ialltoallv "Ialltoallv" (*const c_void, *const c_int, *const c_int, A::Datatype, *mut c_void, *const c_int, *const c_int, A::Datatype, A::Comm, *mut A::Request);
        ialltoallw "Ialltoallw" (*const c_void, *const c_int, *const c_int, *const A::Datatype, *mut c_void, *const c_int, *const c_int, *const A::Datatype, A::Comm, *mut A::Request);
        ineighbor_allgather "Ineighbor_allgather" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, A::Comm, *mut A::Request);
        ineighbor_allgatherv "Ineighbor_allgatherv" (*const c_void, c_int, A::Datatype, *mut c_void, *const c_int, *const c_int, A::Datatype, A::Comm, *mut A::Request);
        ineighbor_alltoall "Ineighbor_alltoall" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, A::Comm, *mut A::Request);
        ineighbor_alltoallv "Ineighbor_alltoallv" (*const c_void, *const c_int, *const c_int, A::Datatype, *mut c_void, *const c_int, *const c_int, A::Datatype, A::Comm, *mut A::Request);
        ineighbor_alltoallw "Ineighbor_alltoallw" (*const c_void, *const c_int, *const Aint, *const A::Datatype, *mut c_void, *const c_int, *const Aint, *const A::Datatype, A::Comm, *mut A::Request);

        // Collectives that compute, and the barrier.
        ibarrier "Ibarrier" (A::Comm, *mut A::Request);
        ireduce "Ireduce" (*const c_void, *mut c_void, c_int, A::Datatype, A::Op, c_int, A::Comm, *mut A::Request);
        iallreduce "Iallreduce" (*const c_void, *mut c_void, c_int, A::Datatype, A::Op, A::Comm, *mut A::Request);
        iscan "Iscan" (*const c_void, *mut c_void, c_int, A::Datatype, A::Op, A::Comm, *mut A::Request);
        iexscan "Iexscan" (*const c_void, *mut c_void, c_int, A::Datatype, A::Op, A::Comm, *mut A::Request);
        ireduce_scatter "Ireduce_scatter" (*const c_void, *mut c_void, *const c_int, A::Datatype, A::Op, A::Comm, *mut A::Request);
        ireduce_scatter_block "Ireduce_scatter_block" (*const c_void, *mut c_void, c_int, A::Datatype, A::Op, A::Comm, *mut A::Request);
    }
    optional {
        // What tells of other processes, besides messages and collectives.
        comm_disconnect "Comm_disconnect" (*mut A::Comm);
        comm_accept "Comm_accept" (*const c_char, A::Info, c_int, A::Comm, *mut A::Comm);
        comm_connect "Comm_connect" (*const c_char, A::Info, c_int, A::Comm, *mut A::Comm);
        comm_spawn "Comm_spawn" (*const c_char, *mut *mut c_char, c_int, A::Info, c_int, A::Comm, *mut A::Comm, *mut c_int);
        win_create "Win_create" (*mut c_void, Aint, c_int, A::Info, A::Comm, *mut A::Win);
        win_allocate "Win_allocate" (Aint, c_int, A::Info, A::Comm, *mut c_void, *mut A::Win);
        win_allocate_shared "Win_allocate_shared" (Aint, c_int, A::Info, A::Comm, *mut c_void, *mut A::Win);
        win_create_dynamic "Win_create_dynamic" (A::Info, A::Comm, *mut A::Win);
        win_free "Win_free" (*mut A::Win);
        win_fence "Win_fence" (c_int, A::Win);
        win_post "Win_post" (A::Group, c_int, A::Win);
        win_start "Win_start" (A::Group, c_int, A::Win);
        win_complete "Win_complete" (A::Win);
        win_wait "Win_wait" (A::Win);
        win_test "Win_test" (A::Win, *mut c_int);
        win_lock "Win_lock" (c_int, c_int, c_int, A::Win);
        win_lock_all "Win_lock_all" (c_int, A::Win);
        win_unlock "Win_unlock" (c_int, A::Win);
        win_unlock_all "Win_unlock_all" (A::Win);
        win_flush "Win_flush" (c_int, A::Win);
        win_flush_all "Win_flush_all" (A::Win);
        win_flush_local "Win_flush_local" (c_int, A::Win);
        win_flush_local_all "Win_flush_local_all" (A::Win);
        win_sync "Win_sync" (A::Win);
        file_open "File_open" (A::Comm, *const c_char, c_int, A::Info, *mut A::File);
        file_close "File_close" (*mut A::File);
        file_sync "File_sync" (A::File);
        file_set_size "File_set_size" (A::File, Offset);
        file_preallocate "File_preallocate" (A::File, Offset);
        file_set_view "File_set_view" (A::File, Offset, A::Datatype, A::Datatype, *const c_char, A::Info);
        file_seek_shared "File_seek_shared" (A::File, Offset, c_int);
        file_read "File_read" (A::File, *mut c_void, c_int, A::Datatype, *mut A::Status);
        file_read_at "File_read_at" (A::File, Offset, *mut c_void, c_int, A::Datatype, *mut A::Status);
        file_read_shared "File_read_shared" (A::File, *mut c_void, c_int, A::Datatype, *mut A::Status);
        file_read_all "File_read_all" (A::File, *mut c_void, c_int, A::Datatype, *mut A::Status);
        file_write_all "File_write_all" (A::File, *const c_void, c_int, A::Datatype, *mut A::Status);
        file_read_at_all "File_read_at_all" (A::File, Offset, *mut c_void, c_int, A::Datatype, *mut A::Status);
        file_write_at_all "File_write_at_all" (A::File, Offset, *const c_void, c_int, A::Datatype, *mut A::Status);
        file_read_ordered "File_read_ordered" (A::File, *mut c_void, c_int, A::Datatype, *mut A::Status);
        file_write_ordered "File_write_ordered" (A::File, *const c_void, c_int, A::Datatype, *mut A::Status);

        // Of MPI 4.0; Open MPI 5 has them too.
        session_init "Session_init" (A::Info, A::Errhandler, *mut A::Session);
        session_finalize "Session_finalize" (*mut A::Session);
        isendrecv "Isendrecv" (*const c_void, c_int, A::Datatype, c_int, c_int, *mut c_void, c_int, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        isendrecv_replace "Isendrecv_replace" (*mut c_void, c_int, A::Datatype, c_int, c_int, c_int, c_int, A::Comm, *mut A::Request);
        isendrecv_c "Isendrecv_c" (*const c_void, Count, A::Datatype, c_int, c_int, *mut c_void, Count, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        isendrecv_replace_c "Isendrecv_replace_c" (*mut c_void, Count, A::Datatype, c_int, c_int, c_int, c_int, A::Comm, *mut A::Request);

        // Of MPI 4.1.
        request_get_status_all "Request_get_status_all" (c_int, *const A::Request, *mut c_int, *mut A::Status);
        request_get_status_any "Request_get_status_any" (c_int, *const A::Request, *mut c_int, *mut c_int, *mut A::Status);
        request_get_status_some "Request_get_status_some" (c_int, *const A::Request, *mut c_int, *mut c_int, *mut A::Status);

        // Large counts (MPI 4.0).
        send_c "Send_c" (*const c_void, Count, A::Datatype, c_int, c_int, A::Comm);
        bsend_c "Bsend_c" (*const c_void, Count, A::Datatype, c_int, c_int, A::Comm);
        ssend_c "Ssend_c" (*const c_void, Count, A::Datatype, c_int, c_int, A::Comm);
        rsend_c "Rsend_c" (*const c_void, Count, A::Datatype, c_int, c_int, A::Comm);
        isend_c "Isend_c" (*const c_void, Count, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        ibsend_c "Ibsend_c" (*const c_void, Count, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        issend_c "Issend_c" (*const c_void, Count, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        irsend_c "Irsend_c" (*const c_void, Count, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        recv_c "Recv_c" (*mut c_void, Count, A::Datatype, c_int, c_int, A::Comm, *mut A::Status);
        irecv_c "Irecv_c" (*mut c_void, Count, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        mrecv_c "Mrecv_c" (*mut c_void, Count, A::Datatype, *mut A::Message, *mut A::Status);
        imrecv_c "Imrecv_c" (*mut c_void, Count, A::Datatype, *mut A::Message, *mut A::Request);
        sendrecv_c "Sendrecv_c" (*const c_void, Count, A::Datatype, c_int, c_int, *mut c_void, Count, A::Datatype, c_int, c_int, A::Comm, *mut A::Status);
        sendrecv_replace_c "Sendrecv_replace_c" (*mut c_void, Count, A::Datatype, c_int, c_int, c_int, c_int, A::Comm, *mut A::Status);
        send_init_c "Send_init_c" (*const c_void, Count, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        bsend_init_c "Bsend_init_c" (*const c_void, Count, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        ssend_init_c "Ssend_init_c" (*const c_void, Count, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        rsend_init_c "Rsend_init_c" (*const c_void, Count, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        recv_init_c "Recv_init_c" (*mut c_void, Count, A::Datatype, c_int, c_int, A::Comm, *mut A::Request);
        pack_c "Pack_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, *mut Count, A::Comm);
        unpack_c "Unpack_c" (*const c_void, Count, *mut Count, *mut c_void, Count, A::Datatype, A::Comm);
        type_get_envelope_c "Type_get_envelope_c" (A::Datatype, *mut Count, *mut Count, *mut Count, *mut Count, *mut c_int);
        type_get_contents_c "Type_get_contents_c" (A::Datatype, Count, Count, Count, Count, *mut c_int, *mut Aint, *mut Count, *mut A::Datatype);
        type_contiguous_c "Type_contiguous_c" (Count, A::Datatype, *mut A::Datatype);
        type_vector_c "Type_vector_c" (Count, Count, Count, A::Datatype, *mut A::Datatype);
        type_create_hvector_c "Type_create_hvector_c" (Count, Count, Count, A::Datatype, *mut A::Datatype);
        type_indexed_c "Type_indexed_c" (Count, *const Count, *const Count, A::Datatype, *mut A::Datatype);
        type_create_hindexed_c "Type_create_hindexed_c" (Count, *const Count, *const Count, A::Datatype, *mut A::Datatype);
        type_create_indexed_block_c "Type_create_indexed_block_c" (Count, Count, *const Count, A::Datatype, *mut A::Datatype);
        type_create_hindexed_block_c "Type_create_hindexed_block_c" (Count, Count, *const Count, A::Datatype, *mut A::Datatype);
        type_create_struct_c "Type_create_struct_c" (Count, *const Count, *const Count, *const A::Datatype, *mut A::Datatype);
        type_create_subarray_c "Type_create_subarray_c" (c_int, *const Count, *const Count, *const Count, c_int, A::Datatype, *mut A::Datatype);
        type_create_darray_c "Type_create_darray_c" (c_int, c_int, c_int, *const Count, *const c_int, *const c_int, *const c_int, c_int, A::Datatype, *mut A::Datatype);
        type_create_resized_c "Type_create_resized_c" (A::Datatype, Count, Count, *mut A::Datatype);
        type_get_value_index "Type_get_value_index" (A::Datatype, A::Datatype, *mut A::Datatype);

        // Persistent collectives (MPI 4.0).
        bcast_init "Bcast_init" (*mut c_void, c_int, A::Datatype, c_int, A::Comm, A::Info, *mut A::Request);
        gather_init "Gather_init" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, c_int, A::Comm, A::Info, *mut A::Request);
        gatherv_init "Gatherv_init" (*const c_void, c_int, A::Datatype, *mut c_void, *const c_int, *const c_int, A::Datatype, c_int, A::Comm, A::Info, *mut A::Request);
        scatter_init "Scatter_init" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, c_int, A::Comm, A::Info, *mut A::Request);
        scatterv_init "Scatterv_init" (*const c_void, *const c_int, *const c_int, A::Datatype, *mut c_void, c_int, A::Datatype, c_int, A::Comm, A::Info, *mut A::Request);
        allgather_init "Allgather_init" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, A::Comm, A::Info, *mut A::Request);
        allgatherv_init "Allgatherv_init" (*const c_void, c_int, A::Datatype, *mut c_void, *const c_int, *const c_int, A::Datatype, A::Comm, A::Info, *mut A::Request);
        alltoall_init "Alltoall_init" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, A::Comm, A::Info, *mut A::Request);
        alltoallv_init "Alltoallv_init" (*const c_void, *const c_int, *const c_int, A::Datatype, *mut c_void, *const c_int, *const c_int, A::Datatype, A::Comm, A::Info, *mut A::Request);
        alltoallw_init "Alltoallw_init" (*const c_void, *const c_int, *const c_int, *const A::Datatype, *mut c_void, *const c_int, *const c_int, *const A::Datatype, A::Comm, A::Info, *mut A::Request);
        neighbor_allgather_init "Neighbor_allgather_init" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, A::Comm, A::Info, *mut A::Request);
        neighbor_allgatherv_init "Neighbor_allgatherv_init" (*const c_void, c_int, A::Datatype, *mut c_void, *const c_int, *const c_int, A::Datatype, A::Comm, A::Info, *mut A::Request);
        neighbor_alltoall_init "Neighbor_alltoall_init" (*const c_void, c_int, A::Datatype, *mut c_void, c_int, A::Datatype, A::Comm, A::Info, *mut A::Request);
        neighbor_alltoallv_init "Neighbor_alltoallv_init" (*const c_void, *const c_int, *const c_int, A::Datatype, *mut c_void, *const c_int, *const c_int, A::Datatype, A::Comm, A::Info, *mut A::Request);
        neighbor_alltoallw_init "Neighbor_alltoallw_init" (*const c_void, *const c_int, *const Aint, *const A::Datatype, *mut c_void, *const c_int, *const Aint, *const A::Datatype, A::Comm, A::Info, *mut A::Request);

        // Collectives with large counts (MPI 4.0).
        bcast_c "Bcast_c" (*mut c_void, Count, A::Datatype, c_int, A::Comm);
        gather_c "Gather_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, c_int, A::Comm);
        gatherv_c "Gatherv_c" (*const c_void, Count, A::Datatype, *mut c_void, *const Count, *const Aint, A::Datatype, c_int, A::Comm);
        scatter_c "Scatter_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, c_int, A::Comm);
        scatterv_c "Scatterv_c" (*const c_void, *const Count, *const Aint, A::Datatype, *mut c_void, Count, A::Datatype, c_int, A::Comm);
        allgather_c "Allgather_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, A::Comm);
        allgatherv_c "Allgatherv_c" (*const c_void, Count, A::Datatype, *mut c_void, *const Count, *const Aint, A::Datatype, A::Comm);
        alltoall_c "Alltoall_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, A::Comm);
        alltoallv_c "Alltoallv_c" (*const c_void, *const Count, *const Aint, A::Datatype, *mut c_void, *const Count, *const Aint, A::Datatype, A::Comm);
        alltoallw_c "Alltoallw_c" (*const c_void, *const Count, *const Aint, *const A::Datatype, *mut c_void, *const Count, *const Aint, *const A::Datatype, A::Comm);
        neighbor_allgather_c "Neighbor_allgather_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, A::Comm);
        neighbor_allgatherv_c "Neighbor_allgatherv_c" (*const c_void, Count, A::Datatype, *mut c_void, *const Count, *const Aint, A::Datatype, A::Comm);
        neighbor_alltoall_c "Neighbor_alltoall_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, A::Comm);
        neighbor_alltoallv_c "Neighbor_alltoallv_c" (*const c_void, *const Count, *const Aint, A::Datatype, *mut c_void, *const Count, *const Aint, A::Datatype, A::Comm);
        neighbor_alltoallw_c "Neighbor_alltoallw_c" (*const c_void, *const Count, *const Aint, *const A::Datatype, *mut c_void, *const Count, *const Aint, *const A::Datatype, A::Comm);
        ibcast_c "Ibcast_c" (*mut c_void, Count, A::Datatype, c_int, A::Comm, *mut A::Request);
        igather_c "Igather_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, c_int, A::Comm, *mut A::Request);
        igatherv_c "Igatherv_c" (*const c_void, Count, A::Datatype, *mut c_void, *const Count, *const Aint, A::Datatype, c_int, A::Comm, *mut A::Request);
        iscatter_c "Iscatter_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, c_int, A::Comm, *mut A::Request);
        iscatterv_c "Iscatterv_c" (*const c_void, *const Count, *const Aint, A::Datatype, *mut c_void, Count, A::Datatype, c_int, A::Comm, *mut A::Request);
        iallgather_c "Iallgather_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, A::Comm, *mut A::Request);
        iallgatherv_c "Iallgatherv_c" (*const c_void, Count, A::Datatype, *mut c_void, *const Count, *const Aint, A::Datatype, A::Comm, *mut A::Request);
        ialltoall_c "Ialltoall_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, A::Comm, *mut A::Request);
        ialltoallv_c "Ialltoallv_c" (*const c_void, *const Count, *const Aint, A::Datatype, *mut c_void, *const Count, *const Aint, A::Datatype, A::Comm, *mut A::Request);
        ialltoallw_c "Ialltoallw_c" (*const c_void, *const Count, *const Aint, *const A::Datatype, *mut c_void, *const Count, *const Aint, *const A::Datatype, A::Comm, *mut A::Request);
        ineighbor_allgather_c "Ineighbor_allgather_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, A::Comm, *mut A::Request);
        ineighbor_allgatherv_c "Ineighbor_allgatherv_c" (*const c_void, Count, A::Datatype, *mut c_void, *const Count, *const Aint, A::Datatype, A::Comm, *mut A::Request);
        ineighbor_alltoall_c "Ineighbor_alltoall_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, A::Comm, *mut A::Request);
        ineighbor_alltoallv_c "Ineighbor_alltoallv_c" (*const c_void, *const Count, *const Aint, A::Datatype, *mut c_void, *const Count, *const Aint, A::Datatype, A::Comm, *mut A::Request);
        ineighbor_alltoallw_c "Ineighbor_alltoallw_c" (*const c_void, *const Count, *const Aint, *const A::Datatype, *mut c_void, *const Count, *const Aint, *const A::Datatype, A::Comm, *mut A::Request);
        bcast_init_c "Bcast_init_c" (*mut c_void, Count, A::Datatype, c_int, A::Comm, A::Info, *mut A::Request);
        gather_init_c "Gather_init_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, c_int, A::Comm, A::Info, *mut A::Request);
        gatherv_init_c "Gatherv_init_c" (*const c_void, Count, A::Datatype, *mut c_void, *const Count, *const Aint, A::Datatype, c_int, A::Comm, A::Info, *mut A::Request);
        scatter_init_c "Scatter_init_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, c_int, A::Comm, A::Info, *mut A::Request);
        scatterv_init_c "Scatterv_init_c" (*const c_void, *const Count, *const Aint, A::Datatype, *mut c_void, Count, A::Datatype, c_int, A::Comm, A::Info, *mut A::Request);
        allgather_init_c "Allgather_init_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, A::Comm, A::Info, *mut A::Request);
        allgatherv_init_c "Allgatherv_init_c" (*const c_void, Count, A::Datatype, *mut c_void, *const Count, *const Aint, A::Datatype, A::Comm, A::Info, *mut A::Request);
        alltoall_init_c "Alltoall_init_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, A::Comm, A::Info, *mut A::Request);
        alltoallv_init_c "Alltoallv_init_c" (*const c_void, *const Count, *const Aint, A::Datatype, *mut c_void, *const Count, *const Aint, A::Datatype, A::Comm, A::Info, *mut A::Request);
        alltoallw_init_c "Alltoallw_init_c" (*const c_void, *const Count, *const Aint, *const A::Datatype, *mut c_void, *const Count, *const Aint, *const A::Datatype, A::Comm, A::Info, *mut A::Request);
        neighbor_allgather_init_c "Neighbor_allgather_init_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, A::Comm, A::Info, *mut A::Request);
        neighbor_allgatherv_init_c "Neighbor_allgatherv_init_c" (*const c_void, Count, A::Datatype, *mut c_void, *const Count, *const Aint, A::Datatype, A::Comm, A::Info, *mut A::Request);
        neighbor_alltoall_init_c "Neighbor_alltoall_init_c" (*const c_void, Count, A::Datatype, *mut c_void, Count, A::Datatype, A::Comm, A::Info, *mut A::Request);
        neighbor_alltoallv_init_c "Neighbor_alltoallv_init_c" (*const c_void, *const Count, *const Aint, A::Datatype, *mut c_void, *const Count, *const Aint, A::Datatype, A::Comm, A::Info, *mut A::Request);
        neighbor_alltoallw_init_c "Neighbor_alltoallw_init_c" (*const c_void, *const Count, *const Aint, *const A::Datatype, *mut c_void, *const Count, *const Aint, *const A::Datatype, A::Comm, A::Info, *mut A::Request);

        // The same, persistent and large.
        barrier_init "Barrier_init" (A::Comm, A::Info, *mut A::Request);
        reduce_init "Reduce_init" (*const c_void, *mut c_void, c_int, A::Datatype, A::Op, c_int, A::Comm, A::Info, *mut A::Request);
        allreduce_init "Allreduce_init" (*const c_void, *mut c_void, c_int, A::Datatype, A::Op, A::Comm, A::Info, *mut A::Request);
        scan_init "Scan_init" (*const c_void, *mut c_void, c_int, A::Datatype, A::Op, A::Comm, A::Info, *mut A::Request);
        exscan_init "Exscan_init" (*const c_void, *mut c_void, c_int, A::Datatype, A::Op, A::Comm, A::Info, *mut A::Request);
        reduce_scatter_init "Reduce_scatter_init" (*const c_void, *mut c_void, *const c_int, A::Datatype, A::Op, A::Comm, A::Info, *mut A::Request);
        reduce_scatter_block_init "Reduce_scatter_block_init" (*const c_void, *mut c_void, c_int, A::Datatype, A::Op, A::Comm, A::Info, *mut A::Request);
        reduce_c "Reduce_c" (*const c_void, *mut c_void, Count, A::Datatype, A::Op, c_int, A::Comm);
        allreduce_c "Allreduce_c" (*const c_void, *mut c_void, Count, A::Datatype, A::Op, A::Comm);
        scan_c "Scan_c" (*const c_void, *mut c_void, Count, A::Datatype, A::Op, A::Comm);
        exscan_c "Exscan_c" (*const c_void, *mut c_void, Count, A::Datatype, A::Op, A::Comm);
        reduce_scatter_c "Reduce_scatter_c" (*const c_void, *mut c_void, *const Count, A::Datatype, A::Op, A::Comm);
        reduce_scatter_block_c "Reduce_scatter_block_c" (*const c_void, *mut c_void, Count, A::Datatype, A::Op, A::Comm);
        ireduce_c "Ireduce_c" (*const c_void, *mut c_void, Count, A::Datatype, A::Op, c_int, A::Comm, *mut A::Request);
        iallreduce_c "Iallreduce_c" (*const c_void, *mut c_void, Count, A::Datatype, A::Op, A::Comm, *mut A::Request);
        iscan_c "Iscan_c" (*const c_void, *mut c_void, Count, A::Datatype, A::Op, A::Comm, *mut A::Request);
        iexscan_c "Iexscan_c" (*const c_void, *mut c_void, Count, A::Datatype, A::Op, A::Comm, *mut A::Request);
        ireduce_scatter_c "Ireduce_scatter_c" (*const c_void, *mut c_void, *const Count, A::Datatype, A::Op, A::Comm, *mut A::Request);
        ireduce_scatter_block_c "Ireduce_scatter_block_c" (*const c_void, *mut c_void, Count, A::Datatype, A::Op, A::Comm, *mut A::Request);
        reduce_init_c "Reduce_init_c" (*const c_void, *mut c_void, Count, A::Datatype, A::Op, c_int, A::Comm, A::Info, *mut A::Request);
        allreduce_init_c "Allreduce_init_c" (*const c_void, *mut c_void, Count, A::Datatype, A::Op, A::Comm, A::Info, *mut A::Request);
        scan_init_c "Scan_init_c" (*const c_void, *mut c_void, Count, A::Datatype, A::Op, A::Comm, A::Info, *mut A::Request);
        exscan_init_c "Exscan_init_c" (*const c_void, *mut c_void, Count, A::Datatype, A::Op, A::Comm, A::Info, *mut A::Request);
        reduce_scatter_init_c "Reduce_scatter_init_c" (*const c_void, *mut c_void, *const Count, A::Datatype, A::Op, A::Comm, A::Info, *mut A::Request);
        reduce_scatter_block_init_c "Reduce_scatter_block_init_c" (*const c_void, *mut c_void, Count, A::Datatype, A::Op, A::Comm, A::Info, *mut A::Request);
    }
}
