//! The MPI program: checks this crate against one library, from inside.

mod encoding;
mod environment;
mod handles;
mod messages;
mod native;
mod packing;
mod random;
mod shapes;
mod structs;

use std::ffi::CString;
use std::path::Path;
use std::process::ExitCode;
use std::ptr;

use commloom_mpi::{Abi, AbiKind, Library, LibraryError, Mpi, in_abi};

/// First argument that makes the test binary this program.
pub const FLAG: &str = "--as-mpi-program";
/// Printed by rank 0 where every check held.
pub const PASSED: &str = "all checks passed";

/// How the library comes into the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `Mpi::open`.
    Open,
    /// The same, for messages only.
    Messages,
    /// Opened with `RTLD_LOCAL` first, then found by `Mpi::next` in the link map.
    Local,
    /// In the global scope (the driver preloads it), found by `Mpi::next` with `RTLD_NEXT`.
    Linked,
}

impl Mode {
    /// The argument that chooses it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Open => "open",
            Mode::Messages => "messages",
            Mode::Local => "local",
            Mode::Linked => "linked",
        }
    }
}

/// `arguments`: mode and library.
pub fn main(arguments: &[String]) -> ExitCode {
    let [mode, path] = arguments else { panic!("expected mode and library") };
    let mode = [Mode::Open, Mode::Messages, Mode::Local, Mode::Linked]
        .into_iter()
        .find(|m| m.name() == mode)
        .expect("a known mode");
    let library = find(mode, Path::new(path));
    in_abi!(library.kind(), A => with::<A>(library, mode));
    ExitCode::SUCCESS
}

fn find(mode: Mode, path: &Path) -> Library {
    let kinds = [AbiKind::Mpich, AbiKind::OpenMpi, AbiKind::Standard];
    if matches!(mode, Mode::Open | Mode::Messages) {
        return Library::open(path).expect("the library can be opened");
    }
    if mode == Mode::Local {
        for wanted in kinds {
            assert_eq!(Library::next(wanted).unwrap_err(), LibraryError::NotLoaded { wanted });
        }
        let c_path = CString::new(path.to_str().expect("UTF-8")).expect("no zero byte");
        // SAFETY: a C string; MPI libraries may be opened at any time.
        let handle = unsafe { libc::dlopen(c_path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!handle.is_null(), "{}", path.display());
    }
    let (found, others): (Vec<_>, Vec<_>) =
        kinds.into_iter().map(Library::next).partition(Result::is_ok);
    for error in others.into_iter().map(Result::unwrap_err) {
        assert!(matches!(error, LibraryError::WrongAbi { .. }), "{error}");
    }
    let [Ok(library)] = &found[..] else { panic!("{found:?}") };
    library.clone()
}

fn with<A: Abi>(library: Library, mode: Mode) {
    // SAFETY: every handle below comes from this library and is used before it is freed.
    let mpi = unsafe { Mpi::<A>::new(library) }.expect("a complete library");
    assert!(!mpi.initialized().expect("may be asked any time"));
    // SAFETY: MPI allows null arguments (MPI 4.1, section 11.2.1).
    let code = unsafe { (mpi.own.init)(ptr::null_mut(), ptr::null_mut()) };
    mpi.check("MPI_Init", code).expect("MPI starts");
    // Errors of calls without a communicator go to the handler of either, by version of MPI.
    for comm in [mpi.handles.comm_world, mpi.handles.comm_self] {
        // SAFETY: the communicator and the error handler are predefined handles of this library.
        let code = unsafe { (mpi.own.comm_set_errhandler)(comm, mpi.handles.errors_return) };
        mpi.check("MPI_Comm_set_errhandler", code).expect("valid handles");
    }
    let rank = mpi.rank(mpi.handles.comm_world).expect("valid handle");

    let only = mode == Mode::Messages || messages::asked().is_some();
    let passed = if only { messages::check(&mpi, mode == Mode::Messages) } else { all(&mpi, mode) };

    // SAFETY: initialized above, nothing is pending.
    let code = unsafe { (mpi.own.finalize)() };
    mpi.check("MPI_Finalize", code).expect("MPI ends");
    if rank == 0 {
        println!("{PASSED}: {passed}");
    }
}

/// All checks; what they did.
fn all<A: Abi>(mpi: &Mpi<A>, mode: Mode) -> String {
    environment::check(mpi);
    handles::check(mpi);
    let native = native::check(mpi);
    let random = random::check(mpi);
    let encoded = encoding::check(mpi);
    // Neither structs nor messages depend on how the library came into the process.
    let once = || format!(", {}, {}", structs::check(mpi), messages::check(mpi, false));
    let messages = if mode == Mode::Open { once() } else { String::new() };
    handles::check_limits(mpi);
    format!("{native}, {random}, {encoded}{messages}")
}
