//! Prototypes of the library's functions for messages, with counts `N`.

use std::ffi::{c_int, c_void};

use commloom_mpi::Abi;

/// The prototype of `MPI_Send` and its modes.
pub type Send<A, N> = unsafe extern "C" fn(
    *const c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    <A as Abi>::Comm,
) -> c_int;

/// The prototype of `MPI_Isend` and its modes.
pub type Isend<A, N> = unsafe extern "C" fn(
    *const c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut <A as Abi>::Request,
) -> c_int;

/// The prototype of `MPI_Recv`.
pub type Recv<A, N> = unsafe extern "C" fn(
    *mut c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut <A as Abi>::Status,
) -> c_int;

/// The prototype of `MPI_Irecv`.
pub type Irecv<A, N> = unsafe extern "C" fn(
    *mut c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut <A as Abi>::Request,
) -> c_int;

/// The prototype of `MPI_Sendrecv`.
pub type Sendrecv<A, N> = unsafe extern "C" fn(
    *const c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    *mut c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut <A as Abi>::Status,
) -> c_int;

/// The prototype of `MPI_Sendrecv_replace`.
pub type SendrecvReplace<A, N> = unsafe extern "C" fn(
    *mut c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut <A as Abi>::Status,
) -> c_int;

/// The prototype of `MPI_Mrecv`.
pub type Mrecv<A, N> = unsafe extern "C" fn(
    *mut c_void,
    N,
    <A as Abi>::Datatype,
    *mut <A as Abi>::Message,
    *mut <A as Abi>::Status,
) -> c_int;

/// The prototype of `MPI_Imrecv`.
pub type Imrecv<A, N> = unsafe extern "C" fn(
    *mut c_void,
    N,
    <A as Abi>::Datatype,
    *mut <A as Abi>::Message,
    *mut <A as Abi>::Request,
) -> c_int;

/// The prototype of `MPI_Mprobe`.
pub type Mprobe<A> = unsafe extern "C" fn(
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut <A as Abi>::Message,
    *mut <A as Abi>::Status,
) -> c_int;

/// The prototype of `MPI_Improbe`.
pub type Improbe<A> = unsafe extern "C" fn(
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut c_int,
    *mut <A as Abi>::Message,
    *mut <A as Abi>::Status,
) -> c_int;

/// The prototype of `MPI_Isendrecv`.
pub type Isendrecv<A, N> = unsafe extern "C" fn(
    *const c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    *mut c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut <A as Abi>::Request,
) -> c_int;

/// The prototype of `MPI_Isendrecv_replace`.
pub type IsendrecvReplace<A, N> = unsafe extern "C" fn(
    *mut c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut <A as Abi>::Request,
) -> c_int;
