//! Ways that earlier runs of the program have found to be faster: read when the first kind of
//! exchange is met, tried first, and written when MPI ends. One file for each program, library,
//! and number of processes, as long as there are few: those that fall on one name take its place,
//! so that the folder does not grow for ever.

use std::collections::hash_map::DefaultHasher;
use std::fs::DirBuilder;
use std::hash::{Hash, Hasher};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use commloom_choice::{Decisions, ExchangeKind};
use commloom_guard::{Origin, Ownership, text, write};
use commloom_mpi::Abi;

use crate::runtime::process::Runtime;
use crate::runtime::signals::without_signals;
use crate::runtime::sync::lock;

/// Longest file of decisions, in bytes.
const LONGEST: u64 = 1 << 16;
/// Files at most.
const FILES: u64 = 256;

/// All that is known of this program: there is one in a process.
static HISTORY: Mutex<History> = Mutex::new(History {
    file: None,
    head: String::new(),
    earlier: None,
    now: Decisions::new(),
    writes: false,
});

struct History {
    /// `None`: nothing is kept.
    file: Option<PathBuf>,
    /// Its first line, which says of which program it is.
    head: String,
    /// As the last run has left it, once somebody has asked, and of this one.
    earlier: Option<Decisions>,
    now: Decisions,
    /// The first process writes what it has found for all.
    writes: bool,
}

impl History {
    /// The ways that the last run has left. A file that cannot be read, or is somebody else's, is
    /// as good as none: it only says what to try first.
    fn earlier(&mut self) -> &Decisions {
        let file = self.file.as_deref();
        self.earlier.get_or_insert_with(|| {
            let text = file.and_then(|file| text(file, Origin::Cache, LONGEST).ok());
            let own = text.as_deref().and_then(|text| text.strip_prefix(&self.head));
            own.and_then(|text| text.parse().ok()).unwrap_or_default()
        })
    }
}

/// Says where this program's file is. `MPI_COMM_WORLD` is there.
pub(crate) fn begin<A: Abi>(runtime: &Runtime<A>) {
    let config = runtime.config();
    let is_idle = config.off || config.trace.is_some() || config.force.is_some();
    if config.no_history || is_idle {
        return;
    }
    let Some(folder) = &config.models else { return };
    let mpi = runtime.mpi();
    let (Ok(size), Ok(rank)) = (mpi.size(mpi.handles.comm_world), mpi.rank(mpi.handles.comm_world))
    else {
        return;
    };
    let library = mpi.library_version().unwrap_or_default();
    let Some(program) = program() else { return };
    let mut hasher = DefaultHasher::new();
    let version = env!("CARGO_PKG_VERSION");
    let settings = format!("{:?} {} {}", config.on_node, config.no_types, config.no_pack);
    (version, program, library, size, settings).hash(&mut hasher);
    let program = hasher.finish();
    let file = Some(folder.join(format!("decisions-{:02x}.txt", program % FILES)));
    let (head, now) = (format!("# of program {program:016x}\n"), Decisions::new());
    *lock(&HISTORY) = History { file, head, earlier: None, now, writes: rank == 0 };
}

/// The way that an earlier run has found.
pub(crate) fn earlier(kind: ExchangeKind) -> Option<u8> {
    lock(&HISTORY).earlier().way(kind)
}

/// The file of an earlier run that has found something.
pub(crate) fn file() -> Option<PathBuf> {
    let mut history = lock(&HISTORY);
    let has_found = !history.earlier().is_empty();
    history.file.clone().filter(|_| has_found)
}

/// This run has found that this way is fastest.
pub(crate) fn found(kind: ExchangeKind, way: u8) {
    let mut history = lock(&HISTORY);
    if history.writes {
        history.now.decide(kind, way);
    }
}

/// Writes what is new, where that can be done. The program does not depend on it, and nobody is
/// told where it cannot.
pub(crate) fn end() {
    let mut history = lock(&HISTORY);
    let History { file, head, earlier: Some(earlier), now, .. } = &mut *history else { return };
    now.keep(earlier);
    let text = now.to_string();
    if let Some(file) = file.take().filter(|_| text != earlier.to_string()) {
        let _ = without_signals(|| put(&file, &format!("{head}{text}")));
    }
}

fn put(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    write(file, text.as_bytes(), Ownership::Mine)
}

/// The program's file, and that of its first argument: for interpreters that is the program.
fn program() -> Option<(PathBuf, Option<PathBuf>)> {
    let first = std::env::args_os().nth(1).map(PathBuf::from).filter(|path| path.is_file());
    Some((std::env::current_exe().ok()?, first.and_then(|path| path.canonicalize().ok())))
}
