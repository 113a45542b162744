//! [`preload!`](crate::preload!): the exported symbols of one preloaded library.
//!
//! Every function has two names (MPI 4.1, section 15.2): `MPI_Send`, which tools may replace, and
//! `PMPI_Send`, which they call. The preload stands behind both:
//! - Open MPI's Fortran library calls `PMPI_*`: for `mpif.h`, `use mpi` and `use mpi_f08` alike it
//!   converts handles, statuses and sentinels first, so that what arrives here is a call of C;
//! - a tool that is linked to the program, or preloaded before us, hides our `MPI_*` and calls
//!   `PMPI_*`;
//! - a request that `MPI_Irecv` made may be completed by `PMPI_Wait`, from Fortran or by a tool:
//!   the message would stay in our buffer if that call passed us by.
//!
//! A call goes on to the function of its own name. `PMPI_Send` must not lead to `MPI_Send`: that
//! may be a tool behind us that has just called `PMPI_Send`. Then the tool's call comes in a
//! second time; it carries packed bytes or a handle of ours, which have no record, and passes.

/// Exports the wrapped MPI functions for one ABI. A crate calls it once, at its root. With `mpi_4`
/// the functions that came with MPI 4.0 and 4.1 are exported too, above all the forms whose names
/// end in `_c`: for ABIs whose libraries have them.
///
/// Where a trace is wanted, [`record`](crate::record) does the work of
/// [`calls`](crate::preload::calls): as a layer in its place ([`layered!`](crate::layered!)), or
/// by the same names, as here.
///
/// A line of the list is the function's name after `MPI_`, its field in the table of the library's
/// functions (and that of its `_c` form), and under it stands who does the work. The work gets the
/// state, the library's function and the program's arguments. Where counts are `N`, there are two
/// forms.
#[macro_export]
macro_rules! preload {
    ($abi:ty) => {
        $crate::preload! { @state $abi }

        /// The forms whose counts are `int`, and the functions that count nothing.
        mod int {
            use super::*;

            type N = c_int;
            $crate::preload! { @list plain }
            $crate::preload! { @counted int }
            $crate::messages! { int }
            $crate::completions! { int }
            $crate::collectives! { int }
            $crate::communicators! {}
            $crate::arrivals! {}
            $crate::reductions! { int }
            $crate::files! { int }
            $crate::windows! { int }
        }
    };
    ($abi:ty, mpi_4) => {
        $crate::preload! { $abi }

        /// The forms whose counts are `MPI_Count`, and what else is new.
        mod large {
            use super::*;

            type N = $crate::reexport::Count;
            $crate::preload! { @counted large }
            $crate::completions! { large }
            $crate::messages! { large }
            $crate::collectives! { large }
            $crate::reductions! { large }
            $crate::files! { large }
            $crate::windows! { large }
        }
    };
    (@state $abi:ty) => {
        use ::std::ffi::{c_char, c_int, c_void};
        use $crate::reexport::{Abi, Offset};

        static PRELOAD: $crate::Preload<$abi> = $crate::Preload::new();

        /// Bytes that the preload keeps for later messages, in buffers, plans and layouts. For
        /// whoever watches the memory of a process: it grows to a bound, and is no leak.
        #[unsafe(no_mangle)]
        pub extern "C" fn commloom_kept() -> u64 {
            PRELOAD.kept()
        }

        /// Bytes of all buffers of the preload, which it takes from the system itself: for the
        /// same.
        #[unsafe(no_mangle)]
        pub extern "C" fn commloom_mapped() -> u64 {
            $crate::runtime::pool::mapped()
        }

        /// Messages whose bytes this process has put into memory that their receivers have mapped:
        /// for tests.
        #[unsafe(no_mangle)]
        pub extern "C" fn commloom_beside() -> u64 {
            PRELOAD.sent_beside()
        }

        /// Puts that this process has left for their targets: for tests.
        #[unsafe(no_mangle)]
        pub extern "C" fn commloom_aside() -> u64 {
            PRELOAD.put_aside()
        }

        type Table = $abi;
        type Datatype = <$abi as Abi>::Datatype;
        type Comm = <$abi as Abi>::Comm;
        type Request = <$abi as Abi>::Request;
        type Message = <$abi as Abi>::Message;
        type Status = <$abi as Abi>::Status;
        type Info = <$abi as Abi>::Info;
        type Op = <$abi as Abi>::Op;
        type Errhandler = <$abi as Abi>::Errhandler;
        type Session = <$abi as Abi>::Session;
        type Group = <$abi as Abi>::Group;
        type Win = <$abi as Abi>::Win;
        type File = <$abi as Abi>::File;
    };
    (@list $form:ident) => {
        $crate::preload! { @each $form
            watched::init(argc: *mut c_int, argv: *mut *mut *mut c_char) { Init init; }
            watched::init_thread(argc: *mut c_int, argv: *mut *mut *mut c_char, wanted: c_int,
                provided: *mut c_int) { Init_thread init_thread; }
            sessions::session_init(info: Info, errhandler: Errhandler, session: *mut Session)
            { Session_init session_init; }
            sessions::session_finalize(session: *mut Session) { Session_finalize session_finalize; }
            watched::cancel(request: *mut Request) { Cancel cancel; }
            environment::finalize() { Finalize finalize; }
            environment::abort(comm: Comm, code: c_int) { Abort abort; }
            environment::pcontrol(level: c_int) { Pcontrol pcontrol; }
            types::commit(datatype: *mut Datatype) { Type_commit type_commit; }
        }
    };
    (@counted $form:ident) => {
        $crate::preload! { @each $form
            packing::pack(memory: *const c_void, count: N, datatype: Datatype,
                packed: *mut c_void, size: N, position: *mut N, comm: Comm)
            { Pack pack pack_c; }
            packing::unpack(packed: *const c_void, size: N, position: *mut N,
                memory: *mut c_void, count: N, datatype: Datatype, comm: Comm)
            { Unpack unpack unpack_c; }
        }
    };
    (@each $form:ident $(
        $module:ident::$function:ident $arguments:tt {
            $($name:ident $field:ident $($large:ident)?;)*
        }
    )*) => {
        $($(
            $crate::preload! {
                @$form $module $function $arguments $name $field $($large)?
            }
        )*)*
    };
    (@plain $module:ident $function:ident $arguments:tt $name:ident $field:ident) => {
        $crate::preload! { @export [] $module $function $arguments $name $field }
    };
    (@int $module:ident $function:ident $arguments:tt $name:ident $field:ident $large:ident) => {
        $crate::preload! { @export [] $module $function $arguments $name $field }
    };
    (@large $module:ident $function:ident $arguments:tt $name:ident $field:ident $large:ident) => {
        $crate::preload! { @export ["_c"] $module $function $arguments $name $large }
    };
    (@export [$($suffix:literal)?] $module:ident $function:ident(
        $($argument:ident: $ty:ty),* $(,)?
    ) $name:ident $field:ident) => {
        $crate::exported! { [$name $($suffix)?] ($($argument: $ty),*) |functions| {
            // The table has some functions in an Option, where a library may lack them.
            #[allow(clippy::useless_conversion)]
            let Some(next) = Option::from(functions.$field) else {
                return $crate::preload::calls::unsupported::<Table>();
            };
            // SAFETY: the program calls this as it would call MPI.
            unsafe {
                $crate::preload! { @go $module $function $name next ($($argument),*) }
            }
        } }
    };
    // Nothing of these is recorded.
    (@go watched $function:ident $name:ident $next:ident ($($argument:ident),*)) => {
        $crate::preload::calls::watched::$function(&PRELOAD, $next, $($argument),*)
    };
    (@go sessions $function:ident $name:ident $next:ident ($($argument:ident),*)) => {
        $crate::preload::calls::sessions::$function(&PRELOAD, $next, $($argument),*)
    };
    (@go packing $function:ident $name:ident $next:ident ($($argument:ident),*)) => {
        $crate::preload::calls::packing::$function(&PRELOAD, $next, $($argument),*)
    };
    (@go types $function:ident $name:ident $next:ident ($($argument:ident),*)) => {
        $crate::preload::calls::types::$function(&PRELOAD, $next, $($argument),*)
    };
    (@go $module:ident $function:ident $name:ident $next:ident ($($argument:ident),*)) => {
        match PRELOAD.recorder() {
            Some(recorder) => $crate::record::$module::$function(
                recorder, stringify!($name), $next, $($argument),*
            ),
            None => $crate::preload::calls::$module::$function(&PRELOAD, $next, $($argument),*),
        }
    };
}

/// Exports a function that a layer looks after: its name, whether each library has it, its field
/// in the table of the library's functions; its parameters; and the work, with the layer and the
/// library's function. Used by the macros of the families.
#[doc(hidden)]
#[macro_export]
macro_rules! layered {
    ([$name:ident $have:ident $field:ident $($suffix:literal)?]
        ($($argument:ident: $ty:ty),* $(,)?) |$layer:ident, $next:ident| $work:block) =>
    {
        $crate::exported! { [$name $($suffix)?] ($($argument: $ty),*) |functions| {
            let $next = $crate::collectives!(@$have functions.$field);
            // SAFETY: the program calls this as it would call MPI.
            unsafe {
                if PRELOAD.is_off() {
                    return $next($($argument),*);
                }
                match PRELOAD.recorder() {
                    Some($layer) => $work,
                    None => {
                        let $layer = &PRELOAD;
                        $work
                    }
                }
            }
        } }
    };
}
