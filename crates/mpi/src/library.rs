//! Finding the MPI library of the process. Nothing is linked: everything goes through `dlsym`.

use std::ffi::{CStr, CString, c_void};
use std::path::Path;
use std::ptr;

use thiserror::Error;

use crate::abi::AbiKind;
use crate::objects::loaded_objects;

/// A function that every MPI library exports and that no profiling tool replaces.
const ANCHOR: &CStr = c"PMPI_Get_library_version";
/// An object that only Open MPI exports.
const OPEN_MPI_MARK: &CStr = c"ompi_mpi_comm_world";

/// Why no usable MPI library was found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LibraryError {
    /// No library of this ABI is loaded in the process.
    #[error("no MPI library with the {wanted} ABI is loaded in this process")]
    NotLoaded {
        /// The ABI looked for.
        wanted: AbiKind,
    },
    /// The process uses an MPI library of another ABI.
    #[error("the process uses {path}, whose ABI is {found}, not {wanted}")]
    WrongAbi {
        /// The ABI looked for.
        wanted: AbiKind,
        /// The ABI of the library.
        found: AbiKind,
        /// File of the library.
        path: String,
    },
    /// The library could not be opened.
    #[error("cannot open {path}: {reason}")]
    Open {
        /// File or soname asked for.
        path: String,
        /// The error of the dynamic linker.
        reason: String,
    },
    /// The library lacks a function or object that commloom needs.
    #[error("the MPI library does not export {name}")]
    MissingSymbol {
        /// Its name.
        name: &'static str,
    },
}

/// Where symbols are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// The global scope, behind this library: the MPI library is linked to the program.
    Next,
    /// One library: it was opened with `RTLD_LOCAL` (as mpi4py does), or by us.
    Handle(*mut c_void),
}

/// Evaluates an expression in which `$abi` is the type of the ABI that `$kind` names.
#[macro_export]
macro_rules! in_abi {
    ($kind:expr, $abi:ident => $value:expr) => {
        match $kind {
            $crate::AbiKind::Mpich => {
                type $abi = $crate::Mpich;
                $value
            }
            $crate::AbiKind::OpenMpi => {
                type $abi = $crate::OpenMpi;
                $value
            }
            $crate::AbiKind::Standard => {
                type $abi = $crate::Standard;
                $value
            }
        }
    };
}

pub(crate) use in_abi;

/// The MPI library that the process uses, or one opened by path.
#[derive(Debug, Clone)]
pub struct Library {
    scope: Scope,
    kind: AbiKind,
    path: String,
}

// SAFETY: the handle is only passed to dlsym, which may be called from any thread.
unsafe impl Send for Library {}
// SAFETY: a shared reference gives the handle to dlsym only, which may be called from any thread.
unsafe impl Sync for Library {}

impl Library {
    /// The library of ABI `wanted` that comes after the calling one in the global scope; where
    /// there is none (the program opened it with `RTLD_LOCAL`), the first such one that is loaded
    /// at all.
    ///
    /// # Errors
    /// [`LibraryError::NotLoaded`], or [`LibraryError::WrongAbi`] where another MPI is in use.
    pub fn next(wanted: AbiKind) -> Result<Library, LibraryError> {
        if let Some(path) = symbol(libc::RTLD_NEXT, ANCHOR).and_then(file_of) {
            let kind = classify(libc::RTLD_NEXT, &path);
            if kind == wanted {
                return Ok(Library { scope: Scope::Next, kind, path: lossy(&path) });
            }
            return Err(LibraryError::WrongAbi { wanted, found: kind, path: lossy(&path) });
        }
        let mut other = None;
        for path in loaded_objects() {
            let Some(handle) = open_loaded(&path) else { continue };
            // A library that depends on MPI finds the symbol too: take the one that holds it.
            let holder = symbol(handle, ANCHOR).and_then(file_of);
            if holder.as_deref() != Some(path.as_c_str()) {
                continue;
            }
            let kind = classify(handle, &path);
            if kind == wanted {
                return Ok(Library { scope: Scope::Handle(handle), kind, path: lossy(&path) });
            }
            other = other.or(Some((kind, path)));
        }
        Err(match other {
            Some((found, path)) => {
                LibraryError::WrongAbi { wanted, found, path: path.to_string_lossy().into_owned() }
            }
            None => LibraryError::NotLoaded { wanted },
        })
    }

    /// Opens an MPI library by path or soname, with its symbols visible to the plugins that it
    /// loads (`RTLD_GLOBAL`). It stays open until the process ends.
    ///
    /// # Errors
    /// [`LibraryError::Open`]; [`LibraryError::MissingSymbol`] where it is not an MPI library.
    pub fn open(path: &Path) -> Result<Library, LibraryError> {
        let text = path.to_string_lossy().into_owned();
        let fail = |reason: String| LibraryError::Open { path: text.clone(), reason };
        let c_path = CString::new(path.as_os_str().as_encoded_bytes())
            .map_err(|_| fail("the path has a zero byte".into()))?;
        // SAFETY: a C string; the initializers of an MPI library are fit to run at any time.
        let handle = unsafe { libc::dlopen(c_path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        if handle.is_null() {
            // SAFETY: dlerror returns null or a C string that lives until the next dl call.
            let message = unsafe {
                let error = libc::dlerror();
                if error.is_null() {
                    "unknown reason".into()
                } else {
                    CStr::from_ptr(error).to_string_lossy().into_owned()
                }
            };
            return Err(fail(message));
        }
        let file = symbol(handle, ANCHOR)
            .and_then(file_of)
            .ok_or(LibraryError::MissingSymbol { name: "PMPI_Get_library_version" })?;
        let kind = classify(handle, &file);
        Ok(Library { scope: Scope::Handle(handle), kind, path: lossy(&file) })
    }

    /// The ABI of the library.
    #[must_use]
    pub fn kind(&self) -> AbiKind {
        self.kind
    }

    /// The file of the library.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The address of a function.
    #[must_use]
    pub fn function(&self, name: &CStr) -> Option<*mut c_void> {
        let handle = match self.scope {
            Scope::Next => libc::RTLD_NEXT,
            Scope::Handle(handle) => handle,
        };
        symbol(handle, name)
    }

    /// The address of an exported object.
    ///
    /// Not the same as for functions: a program that is linked to Open MPI may hold its own copy
    /// of a predefined object (a copy relocation), which then is the one that everybody uses. The
    /// global scope begins with the program, `RTLD_NEXT` does not.
    #[must_use]
    pub fn object(&self, name: &CStr) -> Option<*mut c_void> {
        match self.scope {
            Scope::Next => symbol(libc::RTLD_DEFAULT, name),
            Scope::Handle(handle) => {
                // Opened locally, but perhaps a copy exists after all (the program is linked to
                // it, and opened it once more): trust the global scope if it knows the name.
                symbol(libc::RTLD_DEFAULT, name).or_else(|| symbol(handle, name))
            }
        }
    }
}

fn symbol(handle: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    // SAFETY: `handle` is a pseudo handle or came from dlopen; `name` is a C string.
    let address = unsafe { libc::dlsym(handle, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

/// The file of the library that holds an address.
pub(crate) fn file_of(address: *mut c_void) -> Option<CString> {
    let mut info = libc::Dl_info {
        dli_fname: ptr::null(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: `info` is writable; the address need not be valid.
    let found = unsafe { libc::dladdr(address, &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: dladdr filled in a C string that lives as long as the library.
    Some(unsafe { CStr::from_ptr(info.dli_fname) }.to_owned())
}

/// The ABI of the MPI library in `scope`. The file name decides only for the standard ABI, whose
/// symbols are the same as those of MPICH; wheels rename the others.
fn classify(scope: *mut c_void, path: &CStr) -> AbiKind {
    if AbiKind::of_soname(&path.to_string_lossy()) == Some(AbiKind::Standard) {
        AbiKind::Standard
    } else if symbol(scope, OPEN_MPI_MARK).is_some() {
        AbiKind::OpenMpi
    } else {
        AbiKind::Mpich
    }
}

/// A handle for a library that is already loaded; its scope stays as it is.
fn open_loaded(path: &CStr) -> Option<*mut c_void> {
    // SAFETY: `path` is a C string. RTLD_NOLOAD runs no initializer.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    (!handle.is_null()).then_some(handle)
}

fn lossy(path: &CStr) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_without_mpi_says_so() {
        for wanted in [AbiKind::Mpich, AbiKind::OpenMpi, AbiKind::Standard] {
            assert_eq!(Library::next(wanted).unwrap_err(), LibraryError::NotLoaded { wanted });
        }
    }

    #[test]
    fn a_library_that_is_missing_or_not_mpi_is_an_error_with_its_name() {
        let missing = Library::open(Path::new("/nowhere/libmpi.so")).unwrap_err();
        assert!(missing.to_string().contains("/nowhere/libmpi.so"), "{missing}");
        let other = Library::open(Path::new("libc.so.6")).unwrap_err();
        assert!(matches!(other, LibraryError::MissingSymbol { .. }), "{other}");
    }

    #[test]
    fn the_link_map_holds_the_c_library() {
        let loaded = loaded_objects();
        assert!(loaded.iter().any(|p| p.to_string_lossy().contains("libc.so")), "{loaded:?}");
    }
}
