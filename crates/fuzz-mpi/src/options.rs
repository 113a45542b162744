//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Tests a commloom preload against the MPI library that it stands in front of
///
/// Every operation is made twice on all ranks: with the library alone, past the preload, and with
/// some ranks and some calls going through the preload. Buffers, statuses and error classes must
/// be the same, and the buffers those that the MPI standard prescribes.
#[derive(Debug, Clone, Parser)]
#[command(version, after_help = EXAMPLES)]
pub struct Options {
    /// The MPI library, by path or soname
    #[arg(long, value_name = "FILE")]
    pub library: PathBuf,
    /// Start of the random numbers; one is made up and printed where it is not given
    #[arg(long)]
    pub seed: Option<u64>,
    /// How many operations to make
    #[arg(long, default_value_t = 1000)]
    pub operations: u64,
    /// The first operation: to repeat one that failed without those before it
    #[arg(long, default_value_t = 0)]
    pub first: u64,
    /// Stop after so many seconds, whatever is left
    #[arg(long)]
    pub seconds: Option<u64>,
    /// Only these families of operations
    #[arg(long, value_enum, value_delimiter = ',')]
    pub only: Vec<Family>,
    /// Accept that no preload is there: the library is compared with itself
    #[arg(long)]
    pub native: bool,
    /// An operation that takes so many seconds is taken to wait for ever
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub patience: u32,
    /// Start MPI again and again: so many operations in each session of MPI 4, without MPI_Init
    #[arg(long, value_name = "OPERATIONS", conflicts_with = "soak")]
    pub sessions: Option<u64>,
    /// Ranks have a core for so many microseconds at a time; 0 is as the system likes
    #[arg(long, value_name = "MICROSECONDS", default_value_t = 200)]
    pub turns: u32,
    /// The second time, every call of every rank goes through the preload, as in a program, and
    /// not only some; no other thread calls MPI
    #[arg(long, conflicts_with_all = ["soak", "sessions"])]
    pub whole: bool,
    /// Go on where something differs; what comes after it may suffer from it
    #[arg(long)]
    pub keep_going: bool,
    /// Print every operation before it is made
    #[arg(long)]
    pub verbose: bool,
    /// Instead of fuzzing: threads of all ranks exchange messages for --seconds, memory must stay
    /// flat
    #[arg(long)]
    pub soak: bool,
    /// Threads of each rank in a soak
    #[arg(long, default_value_t = 3)]
    pub threads: usize,
}

/// Kinds of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Family {
    /// Sends and receives: all modes, completions, probes, persistent requests
    Point,
    /// Send and receive in one call
    Exchange,
    /// MPI_Pack, MPI_Unpack, MPI_Pack_size
    Pack,
    /// Collectives, also of neighbours, non-blocking and persistent
    Collective,
    /// Calls with wrong arguments
    Error,
    /// Messages that are longer than the receiver said, or end in the middle of an element
    Truncation,
    /// Requests that are let go while they are active
    Released,
    /// Puts into windows, in epochs of fences and groups: with --only
    Window,
}

impl Family {
    /// Those that are drawn without --only, each as often as it is to be.
    pub const DRAWN: [Family; 20] = [
        Family::Point,
        Family::Point,
        Family::Point,
        Family::Point,
        Family::Point,
        Family::Point,
        Family::Point,
        Family::Exchange,
        Family::Exchange,
        Family::Pack,
        Family::Pack,
        Family::Collective,
        Family::Collective,
        Family::Collective,
        Family::Collective,
        Family::Collective,
        Family::Error,
        Family::Truncation,
        Family::Truncation,
        Family::Released,
    ];
}

const EXAMPLES: &str = "\
Examples:
  mpiexec.mpich -n 3 commloom exec --mpi mpich -- commloom-fuzz-mpi --library libmpich.so.12
  mpiexec.openmpi -n 3 commloom exec --mpi openmpi -- commloom-fuzz-mpi --library libmpi.so.40 \\
      --seed 7 --first 1234 --operations 1 --verbose

COMMLOOM_WARMUP=0 lets the preload look at every type at once,
COMMLOOM_FORCE=pack|types makes it handle every message that it can. The status
is 0 where nothing differed, 1 where something did, 2 where the test could not
be made.";
