//! C sources compiled into a shared library, kept until the source changes.

use std::ffi::{CString, c_void};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;

use commloom_measure::machine::Machine;

use super::source::{Sizes, source, symbol};
use super::{Hand, Stream};
use crate::layouts::Layout;

/// How the loops are compiled.
pub const FLAGS: [&str; 4] = ["-O3", "-march=native", "-shared", "-fPIC"];

/// A C compiler of this machine.
pub struct Compiler {
    pub command: &'static str,
    /// The first line of what it says about itself.
    pub version: String,
}

/// The C compilers that are there.
pub fn compilers() -> Vec<Compiler> {
    let version = |command| {
        let output = Command::new(command).arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = text.lines().next().filter(|_| output.status.success())?.to_owned();
        Some(Compiler { command, version })
    };
    ["gcc", "clang"].into_iter().filter_map(version).collect()
}

/// The loops of some layouts.
pub struct Library(*mut c_void);

impl Library {
    /// Compiles the loops of these layouts, unless that was done before.
    pub fn compile(compiler: &Compiler, layouts: &[Layout]) -> Result<Library, String> {
        let text = source(layouts);
        let mut hash = DefaultHasher::new();
        (&text, &compiler.version, FLAGS, Machine::here().processor).hash(&mut hash);
        let stem = format!("hand-{}-{:016x}", compiler.command, hash.finish());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let library = folder.join(&stem).with_extension("so");
        if !library.exists() {
            let c = folder.join(&stem).with_extension("c");
            std::fs::write(&c, text).map_err(|e| format!("{}: {e}", c.display()))?;
            build(compiler, &c, &library)?;
        }
        Library::open(&library)
    }

    fn open(file: &Path) -> Result<Library, String> {
        let path = CString::new(file.as_os_str().as_encoded_bytes()).map_err(|e| e.to_string())?;
        // SAFETY: a library that was built from plain loops, without constructors.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
        if handle.is_null() {
            return Err(format!("cannot open {}", file.display()));
        }
        Ok(Library(handle))
    }

    /// The loop of layout `number` of those that were compiled.
    pub fn hand(&self, number: usize, packing: bool, sizes: Sizes) -> Hand {
        let symbol = symbol(number, packing, sizes);
        // SAFETY: the generated functions have this type.
        unsafe { std::mem::transmute::<*mut c_void, Hand>(self.find(&symbol)) }
    }

    pub fn stream(&self) -> Stream {
        // SAFETY: the prelude declares it so.
        unsafe { std::mem::transmute::<*mut c_void, Stream>(self.find("stream")) }
    }

    fn find(&self, symbol: &str) -> *mut c_void {
        let name = CString::new(symbol).expect("no zero byte");
        // SAFETY: the handle is open.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        assert!(!address.is_null(), "no function {symbol}");
        address
    }
}

/// Writes the library under another name first: a run that is stopped leaves no half of one.
fn build(compiler: &Compiler, c: &Path, library: &Path) -> Result<(), String> {
    let folder = library.parent().unwrap_or(Path::new("."));
    let unfinished = tempfile::NamedTempFile::new_in(folder)
        .map_err(|e| format!("{}: {e}", folder.display()))?
        .into_temp_path();
    let status = Command::new(compiler.command)
        .args(FLAGS)
        .arg("-o")
        .args([unfinished.as_ref(), c])
        .status()
        .map_err(|e| format!("{}: {e}", compiler.command))?;
    if !status.success() {
        return Err(format!("{} ended with {status}", compiler.command));
    }
    unfinished.persist(library).map_err(|e| format!("{}: {e}", library.display()))
}
