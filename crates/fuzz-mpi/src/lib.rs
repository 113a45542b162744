//! A randomized differential tester of the preloads, and a soak.
//!
//! An MPI program that runs under `mpirun` and `commloom exec`. It opens the MPI library at run
//! time and has two ways to call it: through a handle of the library, which is the library alone,
//! and by the names that a linked program would use, where the preload comes first. All ranks draw
//! the same random operations from one seed, make each of them with the library alone and again
//! with some ranks and some calls going through the preload, and compare every byte of all buffers
//! (gaps included), every status, position and error class.
//!
//! ```text
//! seed ─► specimen (handle and layout) ─► plan of an operation ─┬─ perform natively ─┐
//!                                                              ├─ perform as planned ┼─► judge
//!                                                              └─ oracle: buffers ───┘
//! ```
//!
//! Where the standard leaves open what happens, as for a receive that is too short, the library
//! alone is asked twice, and what it does both times must happen through the preload too.
//!
//! Types that the library alone packs otherwise than the standard says are not used; operations in
//! which the library alone leaves wrong bytes are counted; those bytes are not judged.

mod census;
mod collective;
mod completion;
pub mod create;
mod errors;
mod exchange;
mod fuzz;
mod held;
mod large;
pub mod memory;
mod message;
mod native;
mod number;
mod options;
mod outcome;
mod packing;
mod part;
mod point;
mod quirks;
mod released;
mod session;
mod soak;
mod specimen;
mod topology;
mod truncation;
mod turns;
mod watch;
mod window;

use std::process::ExitCode;

use commloom_mpi::{Abi, AbiKind, Library, LibraryError, Mpich, OpenMpi, Standard};

pub use options::{Family, Options};
use session::Session;

/// Exit status where the test could not be made.
const NO_TEST: u8 = 2;

/// Runs the program.
#[must_use]
pub fn run(options: &Options) -> ExitCode {
    let code = Library::open(&options.library).and_then(|library| match library.kind() {
        AbiKind::Mpich => with::<Mpich>(library, options),
        AbiKind::OpenMpi => with::<OpenMpi>(library, options),
        AbiKind::Standard => with::<Standard>(library, options),
    });
    code.unwrap_or_else(|error| {
        eprintln!("commloom-fuzz-mpi: {error}");
        ExitCode::from(NO_TEST)
    })
}

fn with<A: Abi>(library: Library, options: &Options) -> Result<ExitCode, LibraryError> {
    let from = Session::<A>::send_comes_from()?;
    if !from.contains("libcommloom") && !options.native {
        eprintln!(
            "commloom-fuzz-mpi: MPI_Send comes from {from}: nothing is preloaded (see --help)"
        );
        return Ok(ExitCode::from(NO_TEST));
    }
    if let Some(each) = options.sessions {
        return fuzz::fuzz_sessions::<A>(&library, options, each);
    }
    let session = Session::<A>::start(library, options.whole)?;
    if options.soak {
        let code = soak::soak(&session, options);
        session.end();
        return Ok(code);
    }
    Ok(fuzz::fuzz(session, options))
}
