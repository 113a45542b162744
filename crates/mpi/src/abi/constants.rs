//! The integer and address constants of `mpi.h` that commloom uses, side by side for the three
//! ABIs. `tests/abi_probe.rs` compares each of them with every `mpi.h` that it finds.

use std::ffi::c_int;

macro_rules! constants {
    (
        integers { $($field:ident $name:literal $m:literal $o:literal $s:literal;)* }
        addresses { $($afield:ident $aname:literal $am:literal $ao:literal $as:literal;)* }
    ) => {
        /// Values of the constants of one ABI. Combiners and handles have tables of their own.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Constants {
            $(#[doc = concat!("`", $name, "`.")] pub $field: c_int,)*
            $(#[doc = concat!("`", $aname, "`, as an address.")] pub $afield: isize,)*
        }

        pub(super) const MPICH: Constants = Constants { $($field: $m,)* $($afield: $am,)* };
        pub(super) const OPEN_MPI: Constants = Constants { $($field: $o,)* $($afield: $ao,)* };
        pub(super) const STANDARD: Constants = Constants { $($field: $s,)* $($afield: $as,)* };

        impl Constants {
            /// The integers with their names in `mpi.h`, for the check against headers.
            #[must_use]
            pub fn integers(&self) -> Vec<(&'static str, c_int)> {
                vec![$(($name, self.$field)),*]
            }

            /// The addresses with their names in `mpi.h`.
            #[must_use]
            pub fn addresses(&self) -> Vec<(&'static str, isize)> {
                vec![$(($aname, self.$afield)),*]
            }
        }
    };
}

// field, name in mpi.h, then the values: MPICH, Open MPI, standard ABI.
constants! {
    integers {
        success "MPI_SUCCESS" 0 0 0;
        err_buffer "MPI_ERR_BUFFER" 1 1 1;
        err_count "MPI_ERR_COUNT" 2 2 2;
        err_type "MPI_ERR_TYPE" 3 3 3;
        err_tag "MPI_ERR_TAG" 4 4 4;
        err_comm "MPI_ERR_COMM" 5 5 5;
        err_rank "MPI_ERR_RANK" 6 6 6;
        err_request "MPI_ERR_REQUEST" 19 7 7;
        err_arg "MPI_ERR_ARG" 12 13 13;
        err_unknown "MPI_ERR_UNKNOWN" 13 14 14;
        err_truncate "MPI_ERR_TRUNCATE" 14 15 15;
        err_other "MPI_ERR_OTHER" 15 16 16;
        err_intern "MPI_ERR_INTERN" 16 17 17;
        err_pending "MPI_ERR_PENDING" 18 19 18;
        err_in_status "MPI_ERR_IN_STATUS" 17 18 19;
        err_no_mem "MPI_ERR_NO_MEM" 34 39 39;
        err_unsupported_operation "MPI_ERR_UNSUPPORTED_OPERATION" 44 52 55;
        any_source "MPI_ANY_SOURCE" -2 -1 -1;
        any_tag "MPI_ANY_TAG" -1 -1 -2;
        proc_null "MPI_PROC_NULL" -1 -2 -3;
        root "MPI_ROOT" -3 -4 -4;
        undefined "MPI_UNDEFINED" -32766 -32766 -32766;
        keyval_invalid "MPI_KEYVAL_INVALID" 0x2400_0000 -1 0;
        tag_ub "MPI_TAG_UB" 0x6440_0001 0 501;
        thread_single "MPI_THREAD_SINGLE" 0 0 0;
        thread_funneled "MPI_THREAD_FUNNELED" 1 1 1024;
        thread_serialized "MPI_THREAD_SERIALIZED" 2 2 2048;
        thread_multiple "MPI_THREAD_MULTIPLE" 3 3 4096;
        seek_set "MPI_SEEK_SET" 600 600 403;
        graph "MPI_GRAPH" 1 2 212;
        cart "MPI_CART" 2 1 211;
        dist_graph "MPI_DIST_GRAPH" 3 3 213;
        order_c "MPI_ORDER_C" 56 0 12;
        order_fortran "MPI_ORDER_FORTRAN" 57 1 15;
        distribute_block "MPI_DISTRIBUTE_BLOCK" 121 0 17;
        distribute_cyclic "MPI_DISTRIBUTE_CYCLIC" 122 1 18;
        distribute_none "MPI_DISTRIBUTE_NONE" 123 2 16;
        distribute_dflt_darg "MPI_DISTRIBUTE_DFLT_DARG" -49767 -1 19;
    }
    addresses {
        bottom "MPI_BOTTOM" 0 0 0;
        in_place "MPI_IN_PLACE" -1 1 1;
        status_ignore "MPI_STATUS_IGNORE" 1 0 0;
        statuses_ignore "MPI_STATUSES_IGNORE" 1 0 0;
    }
}

impl Constants {
    /// Whether a status pointer of the program is `MPI_STATUS_IGNORE` or `MPI_STATUSES_IGNORE`.
    #[must_use]
    pub fn ignores_status<S>(&self, status: *const S) -> bool {
        let address = status.addr().cast_signed();
        address == self.status_ignore || address == self.statuses_ignore
    }

    /// `MPI_STATUS_IGNORE` as a pointer.
    #[must_use]
    pub fn status_ignore_ptr<S>(&self) -> *mut S {
        std::ptr::without_provenance_mut(self.status_ignore.cast_unsigned())
    }

    /// `MPI_STATUSES_IGNORE` as a pointer.
    #[must_use]
    pub fn statuses_ignore_ptr<S>(&self) -> *mut S {
        std::ptr::without_provenance_mut(self.statuses_ignore.cast_unsigned())
    }
}
