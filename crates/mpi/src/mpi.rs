//! [`Mpi`]: one MPI library, ready to be called. Every return code becomes a [`Result`].

use std::ffi::{c_char, c_int, c_void};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::abi::Abi;
use crate::error::MpiError;
use crate::faults::{Release, Subject};
use crate::functions::{Functions, Names};
use crate::handles::Handles;
use crate::library::{Library, LibraryError, file_of};

/// Room for any text that MPI returns: the largest `MPI_MAX_*` of the three ABIs
/// (`MPI_MAX_LIBRARY_VERSION_STRING`), checked by the probe test.
pub const TEXT_CAPACITY: usize = 8192;

/// An MPI library of the ABI `A`.
pub struct Mpi<A: Abi> {
    library: Library,
    version: (c_int, c_int),
    release: Release,
    /// A session is open: see [`Mpi::is_alive`].
    in_session: AtomicBool,
    /// The predefined handles.
    pub handles: Handles<A>,
    /// `PMPI_` entry points, for calls of our own.
    pub own: Functions<A>,
    /// `MPI_` entry points behind us, for calls of the program that are passed on.
    pub next: Functions<A>,
}

impl<A: Abi> Mpi<A> {
    /// The MPI library that the process uses, seen from the library (or program) that this code is
    /// compiled into.
    ///
    /// # Errors
    /// [`LibraryError`] where there is none, it has another ABI, or lacks a function.
    ///
    /// # Safety
    /// Of every handle and status passed to a method of the result, the caller answers that it
    /// is valid for this library: got from it (or from a program that uses it) and not freed.
    /// Methods other than `library_version`, `initialized` and `finalized` are called between
    /// `MPI_Init` and `MPI_Finalize` only, from threads that MPI's thread level allows.
    pub unsafe fn next() -> Result<Self, LibraryError> {
        // SAFETY: the caller answers for the handles, as `new` demands.
        unsafe { Self::new(Library::next(A::KIND)?) }
    }

    /// An MPI library by path or soname, opened with `RTLD_GLOBAL`.
    ///
    /// # Errors
    /// As [`Mpi::next`], or the file cannot be opened.
    ///
    /// # Safety
    /// The caller answers for handles and statuses, as [`Mpi::next`] says.
    pub unsafe fn open(path: &Path) -> Result<Self, LibraryError> {
        // SAFETY: the caller answers for the handles, as `new` demands.
        unsafe { Self::new(Library::open(path)?) }
    }

    /// A library that was found already.
    ///
    /// # Errors
    /// As [`Mpi::next`].
    ///
    /// # Safety
    /// The caller answers for handles and statuses, as [`Mpi::next`] says.
    pub unsafe fn new(library: Library) -> Result<Self, LibraryError> {
        if library.kind() != A::KIND {
            return Err(LibraryError::WrongAbi {
                wanted: A::KIND,
                found: library.kind(),
                path: library.path().to_owned(),
            });
        }
        // SAFETY: the library is of the ABI A, as just checked.
        let (own, next) = unsafe {
            (Functions::load(&library, Names::Pmpi)?, Functions::load(&library, Names::Mpi)?)
        };
        let (mut version, mut minor) = (0, 0);
        // SAFETY: both are writable; MPI allows this call at any time.
        unsafe { (own.get_version)(&raw mut version, &raw mut minor) };
        let handles = Handles::load(&library, version)?;
        // SAFETY: the buffer has room for any MPI text; MPI allows this call at any time.
        let named = text(|buffer, length| unsafe { (own.get_library_version)(buffer, length) });
        // A library that does not say what it is, is none that we know.
        let release = Release::of_text(&named.unwrap_or_default());
        let in_session = AtomicBool::new(false);
        Ok(Mpi { library, version: (version, minor), release, in_session, handles, own, next })
    }

    /// Where the functions come from.
    #[must_use]
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The version of the MPI standard that the library implements (`MPI_Get_version`).
    #[must_use]
    pub fn version(&self) -> (c_int, c_int) {
        self.version
    }

    /// The library itself (`MPI_Get_library_version`).
    #[must_use]
    pub fn release(&self) -> Release {
        self.release
    }

    /// Whether the library has a known fault, or may have it.
    #[must_use]
    pub fn may_have(&self, fault: Subject) -> bool {
        self.release.may_have(fault)
    }

    /// Whether calls of the program that make, move or match messages reach the library as they
    /// are. A tool behind us may make one call of several, or several of one.
    #[must_use]
    pub fn is_reached_directly(&self) -> bool {
        macro_rules! same {
            ($($function:ident)*) => {
                [$((self.next.$function as *mut c_void, self.own.$function as *mut c_void)),*]
            };
        }
        let pairs = same! {
            send bsend ssend rsend isend ibsend issend irsend recv irecv sendrecv sendrecv_replace
            send_init bsend_init ssend_init rsend_init recv_init start startall mprobe improbe
            mrecv imrecv cancel request_free comm_dup comm_create comm_split cart_create cart_sub
            graph_create
        };
        pairs.into_iter().all(|(next, own)| next == own || file_of(next) == file_of(own))
    }

    /// Makes a return code a result.
    ///
    /// # Errors
    /// Every code but `MPI_SUCCESS`, with its class and the library's text.
    pub fn check(&self, call: &'static str, code: c_int) -> Result<(), MpiError> {
        if code == A::CONSTANTS.success {
            return Ok(());
        }
        let class = self.error_class(code).unwrap_or(A::CONSTANTS.err_unknown);
        // SAFETY: the buffer has room for any MPI text.
        let text = text(|buffer, length| unsafe { (self.own.error_string)(code, buffer, length) });
        Err(MpiError { call, code, class, text: text.unwrap_or_default() })
    }

    /// `MPI_Error_class`; `None` where the code is unknown to the library.
    #[must_use]
    pub fn error_class(&self, code: c_int) -> Option<c_int> {
        let mut class = 0;
        // SAFETY: `class` is writable.
        let status = unsafe { (self.own.error_class)(code, &raw mut class) };
        (status == A::CONSTANTS.success).then_some(class)
    }

    // Environment -------------------------------------------------------------------------------

    /// `MPI_Initialized`.
    ///
    /// # Errors
    /// As MPI.
    pub fn initialized(&self) -> Result<bool, MpiError> {
        // SAFETY: the flag is writable.
        self.flag("MPI_Initialized", |flag| unsafe { (self.own.initialized)(flag) })
    }

    /// `MPI_Finalized`.
    ///
    /// # Errors
    /// As MPI.
    pub fn finalized(&self) -> Result<bool, MpiError> {
        // SAFETY: the flag is writable.
        self.flag("MPI_Finalized", |flag| unsafe { (self.own.finalized)(flag) })
    }

    /// Whether objects of the library can still be freed: before `MPI_Finalize`, and after it as
    /// long as a session is open, which only those know who see it open ([`Mpi::has_session`]).
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.in_session.load(Ordering::Acquire) || !self.finalized().unwrap_or(true)
    }

    /// Says whether a session is open (MPI 4.1, section 11.3).
    pub fn has_session(&self, open: bool) {
        self.in_session.store(open, Ordering::Release);
    }

    /// `MPI_Query_thread`: one of the `thread_` fields of [`Constants`](crate::Constants).
    ///
    /// # Errors
    /// As MPI.
    pub fn query_thread(&self) -> Result<c_int, MpiError> {
        // SAFETY: the integer is writable.
        self.int("MPI_Query_thread", |level| unsafe { (self.own.query_thread)(level) })
    }

    /// `MPI_Get_library_version`.
    ///
    /// # Errors
    /// As MPI.
    pub fn library_version(&self) -> Result<String, MpiError> {
        // SAFETY: the buffer has room for any MPI text.
        text(|buffer, length| unsafe { (self.own.get_library_version)(buffer, length) })
            .or_else(|code| self.fail("MPI_Get_library_version", code))
    }

    /// `MPI_Get_processor_name`.
    ///
    /// # Errors
    /// As MPI.
    pub fn processor_name(&self) -> Result<String, MpiError> {
        // SAFETY: the buffer has room for any MPI text.
        text(|buffer, length| unsafe { (self.own.get_processor_name)(buffer, length) })
            .or_else(|code| self.fail("MPI_Get_processor_name", code))
    }

    /// `MPI_Wtime`, in seconds.
    #[must_use]
    pub fn wtime(&self) -> f64 {
        // SAFETY: MPI_Wtime takes no arguments, and MPI has been started.
        unsafe { (self.own.wtime)() }
    }

    // Communicators -----------------------------------------------------------------------------

    /// Lets the library move what it has to: it looks whether anything has come on a communicator.
    pub fn progress(&self, comm: A::Comm) {
        let (any_source, any_tag) = (A::CONSTANTS.any_source, A::CONSTANTS.any_tag);
        let (mut flag, ignored) = (0, A::CONSTANTS.status_ignore_ptr());
        // SAFETY: the flag is writable, the status ignored; what the call says is of no interest.
        let _ = unsafe { (self.own.iprobe)(any_source, any_tag, comm, &raw mut flag, ignored) };
    }

    /// `MPI_Comm_rank`.
    ///
    /// # Errors
    /// As MPI.
    pub fn rank(&self, comm: A::Comm) -> Result<c_int, MpiError> {
        // SAFETY: the caller of `new` answers for the handle.
        self.int("MPI_Comm_rank", |rank| unsafe { (self.own.comm_rank)(comm, rank) })
    }

    /// `MPI_Comm_size`.
    ///
    /// # Errors
    /// As MPI.
    pub fn size(&self, comm: A::Comm) -> Result<c_int, MpiError> {
        // SAFETY: the caller of `new` answers for the handle.
        self.int("MPI_Comm_size", |size| unsafe { (self.own.comm_size)(comm, size) })
    }

    /// The largest tag (`MPI_TAG_UB`).
    ///
    /// # Errors
    /// As MPI.
    pub fn tag_ub(&self) -> Result<Option<c_int>, MpiError> {
        let mut value: *const c_int = std::ptr::null();
        let world = self.handles.comm_world;
        let key = A::CONSTANTS.tag_ub;
        // SAFETY: MPI stores a pointer to an int in `value`.
        let found = self.flag("MPI_Comm_get_attr", |flag| unsafe {
            (self.own.comm_get_attr)(world, key, (&raw mut value).cast(), flag)
        })?;
        // SAFETY: where the attribute is set, the pointer is valid (MPI 4.1, section 9.1.2).
        Ok((found && !value.is_null()).then(|| unsafe { *value }))
    }

    /// `MPI_Comm_call_errhandler`: runs the program's error handler, which may end the process.
    ///
    /// # Errors
    /// As MPI.
    pub fn call_errhandler(&self, comm: A::Comm, code: c_int) -> Result<(), MpiError> {
        // SAFETY: the caller of `new` answers for the handle.
        let status = unsafe { (self.own.comm_call_errhandler)(comm, code) };
        self.check("MPI_Comm_call_errhandler", status)
    }

    // Plumbing ----------------------------------------------------------------------------------

    pub(crate) fn fail<T>(&self, call: &'static str, code: c_int) -> Result<T, MpiError> {
        match self.check(call, code) {
            Err(error) => Err(error),
            // Only reached where a caller passes on MPI_SUCCESS as a failure.
            Ok(()) => Err(MpiError { call, code, class: code, text: String::new() }),
        }
    }

    pub(crate) fn int(
        &self,
        call: &'static str,
        get: impl FnOnce(*mut c_int) -> c_int,
    ) -> Result<c_int, MpiError> {
        let mut value = 0;
        self.check(call, get(&raw mut value))?;
        Ok(value)
    }

    pub(crate) fn flag(
        &self,
        call: &'static str,
        get: impl FnOnce(*mut c_int) -> c_int,
    ) -> Result<bool, MpiError> {
        self.int(call, get).map(|flag| flag != 0)
    }
}

/// Runs a call that fills a text buffer and tells its length; `Err` is its return code.
fn text(get: impl FnOnce(*mut c_char, *mut c_int) -> c_int) -> Result<String, c_int> {
    let mut buffer = vec![0u8; TEXT_CAPACITY];
    let mut length = 0;
    let code = get(buffer.as_mut_ptr().cast(), &raw mut length);
    if code != 0 {
        return Err(code);
    }
    let length = usize::try_from(length).unwrap_or(0).min(buffer.len());
    buffer.truncate(length);
    if let Some(end) = buffer.iter().position(|&b| b == 0) {
        buffer.truncate(end);
    }
    Ok(String::from_utf8_lossy(&buffer).trim_end().to_owned())
}
