//! One MPI library, started on all ranks, with both of its faces.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use commloom_mpi::{Abi, AbiKind, Functions, Library, LibraryError, Mpi, Names, RawHandle};
use commloom_testkit::Rng;

use crate::native::{errors_return, symbol};
use crate::number::{int, length};
use crate::quirks::Quirks;
use crate::topology::{self, Topology};

/// By which way a call goes to the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    /// The library's own functions: whatever is preloaded does not see the call.
    Native,
    /// The functions that a program that is linked to the library would call.
    Wrapped,
}

/// Nothing goes past the preload the second time.
static WHOLE: AtomicBool = AtomicBool::new(false);

impl Face {
    /// Wrapped in so many of five cases; in all of them where the whole program is.
    pub fn random(rng: &mut Rng, wrapped: u32) -> Face {
        let drawn = rng.u32(0..5) < wrapped;
        if drawn || WHOLE.load(Ordering::Relaxed) { Face::Wrapped } else { Face::Native }
    }

    /// Whether the whole program is behind the preload.
    pub fn is_whole() -> bool {
        WHOLE.load(Ordering::Relaxed)
    }

    /// Of a call that goes past the preload unless the whole program is behind it.
    pub fn beside(native: bool) -> Face {
        if !native && WHOLE.load(Ordering::Relaxed) { Face::Wrapped } else { Face::Native }
    }
}

type BufferAttach = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;
type BufferDetach = unsafe extern "C" fn(*mut c_void, *mut c_int) -> c_int;
type Iprobe<A> = unsafe extern "C" fn(
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut c_int,
    *mut <A as Abi>::Status,
) -> c_int;
type Mprobe<A> = unsafe extern "C" fn(
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut <A as Abi>::Message,
    *mut <A as Abi>::Status,
) -> c_int;

/// The running MPI.
pub struct Session<A: Abi> {
    /// The library by a handle of its own, so that both kinds of names are the library's.
    pub mpi: Mpi<A>,
    wrapped: Functions<A>,
    pub rank: usize,
    pub ranks: usize,
    /// A duplicate of the world, where errors return.
    pub comm: A::Comm,
    pub topologies: Vec<Topology<A>>,
    pub quirks: Quirks,
    /// `MPI_THREAD_MULTIPLE` is there.
    pub threads: bool,
    /// Where the names of a linked program are found.
    seen: Library,
    /// MPI was started by this session, and not by `MPI_Init`.
    opened: Option<Opened<A>>,
}

/// A session of MPI 4, and a communicator of all ranks that was made of it.
pub struct Opened<A: Abi> {
    /// `MPI_Session`: handles of an ABI are all of one width.
    handle: A::Group,
    pub comm: A::Comm,
    face: Face,
}

type SessionInit<A> =
    unsafe extern "C" fn(<A as Abi>::Info, <A as Abi>::Errhandler, *mut <A as Abi>::Group) -> c_int;
type SessionFinalize<A> = unsafe extern "C" fn(*mut <A as Abi>::Group) -> c_int;
type GroupFromPset<A> =
    unsafe extern "C" fn(<A as Abi>::Group, *const c_char, *mut <A as Abi>::Group) -> c_int;
type GroupFree<A> = unsafe extern "C" fn(*mut <A as Abi>::Group) -> c_int;
type CommFromGroup<A> = unsafe extern "C" fn(
    <A as Abi>::Group,
    *const c_char,
    <A as Abi>::Info,
    <A as Abi>::Errhandler,
    *mut <A as Abi>::Comm,
) -> c_int;

type CommDup<A> = unsafe extern "C" fn(<A as Abi>::Comm, *mut <A as Abi>::Comm) -> c_int;
type CommFree<A> = unsafe extern "C" fn(*mut <A as Abi>::Comm) -> c_int;

impl<A: Abi> Session<A> {
    /// Starts MPI. The library was opened for all to see, as if the program were linked to it.
    ///
    /// # Errors
    /// The library lacks a function.
    pub fn start(library: Library, whole: bool) -> Result<Self, LibraryError> {
        WHOLE.store(whole, Ordering::Relaxed);
        let mut session = Self::unstarted(library)?;
        let mut provided = 0;
        let multiple = A::CONSTANTS.thread_multiple;
        let wanted = if whole { A::CONSTANTS.thread_single } else { multiple };
        // SAFETY: MPI allows null arguments (MPI 4.1, section 11.2.1).
        let code = unsafe {
            let init = session.wrapped.init_thread;
            init(ptr::null_mut(), ptr::null_mut(), wanted, &raw mut provided)
        };
        session.mpi.check("MPI_Init_thread", code).expect("MPI starts");
        session.threads = provided == multiple;
        let world = session.mpi.handles.comm_world;
        // Errors of calls without a communicator go to the handler of either, by version of MPI.
        errors_return(&session.mpi, world);
        errors_return(&session.mpi, session.mpi.handles.comm_self);
        let mut comm = session.mpi.handles.comm_null;
        // SAFETY: the prototype is that of the call; `comm` is writable.
        let code = unsafe {
            session.symbol::<CommDup<A>>(Face::beside(false), c"MPI_Comm_dup")(world, &raw mut comm)
        };
        session.mpi.check("MPI_Comm_dup", code).expect("a duplicate");
        errors_return(&session.mpi, comm);
        Ok(session.on(comm))
    }

    /// Starts MPI with a session of MPI 4 and nothing else; ends with it.
    ///
    /// # Errors
    /// The library lacks a function.
    pub fn start_session(library: Library) -> Result<Self, LibraryError> {
        let mut session = Self::unstarted(library)?;
        if !session.has_sessions() {
            return Err(LibraryError::MissingSymbol { name: "MPI_Session_init" });
        }
        let opened = session.open(Face::Wrapped);
        let comm = opened.comm;
        session.opened = Some(opened);
        Ok(session.on(comm))
    }

    fn unstarted(library: Library) -> Result<Self, LibraryError> {
        // The preload is searched first, as for a program.
        let seen = Library::next(A::KIND)?;
        // SAFETY: the library is of the ABI A, as `next` has checked.
        let wrapped = unsafe { Functions::load(&seen, Names::Mpi) }?;
        // SAFETY: every handle that is used comes from this library and is used before it is
        // freed.
        let mpi = unsafe { Mpi::<A>::new(library) }?;
        let (quirks, comm) = (Quirks::of(&mpi), mpi.handles.comm_null);
        let (rank, ranks, topologies) = (0, 0, Vec::new());
        let (threads, opened) = (false, None);
        Ok(Session { mpi, wrapped, rank, ranks, comm, topologies, quirks, threads, seen, opened })
    }

    /// With the ranks of a communicator, on which operations are made from now on.
    fn on(mut self, comm: A::Comm) -> Self {
        self.rank = length(self.mpi.rank(comm).expect("a valid handle"));
        self.ranks = length(self.mpi.size(comm).expect("a valid handle"));
        self.comm = comm;
        self.topologies = topology::all(&self.mpi, comm, self.info_null());
        self
    }

    /// Whether the library has the sessions of MPI 4.
    pub fn has_sessions(&self) -> bool {
        self.mpi.library().function(c"MPI_Session_init").is_some()
    }

    /// Whether MPI was started by a session alone.
    pub fn is_of_session(&self) -> bool {
        self.opened.is_some()
    }

    /// Opens a session, all ranks together.
    pub fn open(&self, face: Face) -> Opened<A> {
        let (info, errors) = (self.info_null(), self.mpi.handles.errors_return);
        let (mut handle, mut group) = (A::Group::from_bits(0), A::Group::from_bits(0));
        let mut comm = self.mpi.handles.comm_null;
        let (set, tag) = (c"mpi://WORLD".as_ptr(), c"commloom-fuzz-mpi".as_ptr());
        // SAFETY: the prototypes are those of the calls; C strings and writable places.
        let codes = unsafe {
            let init = self.symbol::<SessionInit<A>>(face, c"MPI_Session_init");
            let from = self.symbol::<GroupFromPset<A>>(face, c"MPI_Group_from_session_pset");
            let make = self.symbol::<CommFromGroup<A>>(face, c"MPI_Comm_create_from_group");
            let free = self.symbol::<GroupFree<A>>(face, c"MPI_Group_free");
            [
                init(info, errors, &raw mut handle),
                from(handle, set, &raw mut group),
                make(group, tag, info, errors, &raw mut comm),
                free(&raw mut group),
            ]
        };
        for code in codes {
            self.mpi.check("a call of a session", code).expect("a communicator of all ranks");
        }
        Opened { handle, comm, face }
    }

    /// Ends a session; nothing of it is in use.
    pub fn close(&self, mut opened: Opened<A>) {
        let face = opened.face;
        // SAFETY: the prototypes are those of the calls; the handles are ours.
        let codes = unsafe {
            let free = self.symbol::<CommFree<A>>(face, c"MPI_Comm_free");
            let end = self.symbol::<SessionFinalize<A>>(face, c"MPI_Session_finalize");
            [free(&raw mut opened.comm), end(&raw mut opened.handle)]
        };
        for code in codes {
            self.mpi.check("a call of a session", code).expect("a session of our own");
        }
    }

    /// Ends MPI, after everything else.
    pub fn end(mut self) {
        let comms: Vec<A::Comm> = self.topologies.iter().map(|t| t.comm).collect();
        let own = self.opened.is_none().then_some(self.comm);
        for mut comm in comms.into_iter().chain(own) {
            // SAFETY: the prototype is that of the call; the communicator is ours.
            unsafe { self.symbol::<CommFree<A>>(Face::Native, c"PMPI_Comm_free")(&raw mut comm) };
        }
        self.topologies.clear();
        if let Some(opened) = self.opened.take() {
            self.close(opened);
            return;
        }
        // SAFETY: initialized, nothing is pending.
        let code = unsafe { (self.wrapped.finalize)() };
        self.mpi.check("MPI_Finalize", code).expect("MPI ends");
    }

    /// The functions behind a face.
    pub fn functions(&self, face: Face) -> &Functions<A> {
        match face {
            Face::Native => &self.mpi.own,
            Face::Wrapped => &self.wrapped,
        }
    }

    /// Waits for all ranks.
    pub fn barrier(&self) {
        // SAFETY: a live communicator.
        let code = unsafe { (self.mpi.own.barrier)(self.comm) };
        self.mpi.check("MPI_Barrier", code).expect("all ranks come");
    }

    /// The number that rank 0 has.
    pub fn agree(&self, value: u64) -> u64 {
        let mut bytes = value.to_ne_bytes();
        let (n, byte) = (int(bytes.len()), self.mpi.handles.byte);
        // SAFETY: so many bytes on every rank.
        let code =
            unsafe { (self.mpi.own.bcast)(bytes.as_mut_ptr().cast(), n, byte, 0, self.comm) };
        self.mpi.check("MPI_Bcast", code).expect("all ranks come");
        u64::from_ne_bytes(bytes)
    }

    /// Whether all ranks say yes.
    pub fn everybody(&self, yes: bool) -> bool {
        let (mine, byte) = (u8::from(yes), self.mpi.handles.byte);
        let mut all = vec![0u8; self.ranks];
        // SAFETY: one byte of every rank.
        let code = unsafe {
            let (from, to) = ((&raw const mine).cast(), all.as_mut_ptr().cast());
            (self.mpi.own.allgather)(from, 1, byte, to, 1, byte, self.comm)
        };
        self.mpi.check("MPI_Allgather", code).expect("all ranks come");
        all.iter().all(|&said| said == 1)
    }

    /// The class of a return code: what programs may compare.
    pub fn class(&self, code: c_int) -> i64 {
        self.mpi.error_class(code).map_or(-1, i64::from)
    }

    /// The file that a program's `MPI_Send` comes from.
    ///
    /// # Errors
    /// There is none.
    pub fn send_comes_from() -> Result<String, LibraryError> {
        let send = Library::next(A::KIND)?.function(c"MPI_Send");
        let mut info = libc::Dl_info {
            dli_fname: ptr::null(),
            dli_fbase: ptr::null_mut(),
            dli_sname: ptr::null(),
            dli_saddr: ptr::null_mut(),
        };
        let send = send.ok_or(LibraryError::MissingSymbol { name: "MPI_Send" })?;
        // SAFETY: `info` is writable; dladdr takes any address.
        let found = unsafe { libc::dladdr(send, &raw mut info) };
        if found == 0 || info.dli_fname.is_null() {
            return Ok("an unknown place".into());
        }
        // SAFETY: a C string that lives as long as the library.
        Ok(unsafe { CStr::from_ptr(info.dli_fname) }.to_string_lossy().into_owned())
    }

    /// `MPI_Buffer_attach`: the buffer lives until [`Session::detach`].
    pub fn attach(&self, buffer: &mut [u8]) {
        // SAFETY: the prototype is that of the call; the caller keeps the buffer.
        let code = unsafe {
            let attach = self.symbol::<BufferAttach>(Face::Native, c"PMPI_Buffer_attach");
            attach(buffer.as_mut_ptr().cast(), int(buffer.len()))
        };
        self.mpi.check("MPI_Buffer_attach", code).expect("no other buffer");
    }

    /// `MPI_Buffer_detach`: waits until everything in the buffer is sent.
    pub fn detach(&self) {
        let (mut buffer, mut size) = (ptr::null_mut::<c_void>(), 0);
        // SAFETY: the prototype is that of the call; both are writable.
        let code = unsafe {
            let detach = self.symbol::<BufferDetach>(Face::Native, c"PMPI_Buffer_detach");
            detach((&raw mut buffer).cast(), &raw mut size)
        };
        self.mpi.check("MPI_Buffer_detach", code).expect("the buffer");
    }

    /// `MPI_Iprobe` until there is a message.
    pub fn iprobe(&self, source: c_int, tag: c_int, comm: A::Comm, status: &mut A::Status) {
        // SAFETY: the prototype is that of the call.
        let iprobe = unsafe { self.symbol::<Iprobe<A>>(Face::Native, c"MPI_Iprobe") };
        let mut flag = 0;
        while flag == 0 {
            // SAFETY: the flag and the status are writable places of our own.
            let code = unsafe { iprobe(source, tag, comm, &raw mut flag, status) };
            self.mpi.check("MPI_Iprobe", code).expect("right arguments");
            std::thread::yield_now();
        }
    }

    /// `MPI_Mprobe`.
    pub fn mprobe(
        &self,
        face: Face,
        (source, tag): (c_int, c_int),
        comm: A::Comm,
        status: &mut A::Status,
    ) -> A::Message {
        let mut message = A::Message::from_bits(0);
        // SAFETY: the prototype is that of the call; writable places.
        let code = unsafe {
            self.symbol::<Mprobe<A>>(face, c"MPI_Mprobe")(
                source,
                tag,
                comm,
                &raw mut message,
                status,
            )
        };
        self.mpi.check("MPI_Mprobe", code).expect("right arguments");
        message
    }

    /// Ends all ranks.
    pub fn abort(&self) -> ! {
        // SAFETY: a live communicator.
        unsafe { (self.mpi.own.abort)(self.comm, 1) };
        std::process::exit(1)
    }

    /// `MPI_INFO_NULL`.
    pub fn info_null(&self) -> A::Info {
        A::Info::from_bits(match A::KIND {
            AbiKind::Mpich => 0x1c00_0000,
            AbiKind::OpenMpi => {
                let object = self.mpi.library().object(c"ompi_mpi_info_null");
                object.expect("Open MPI has it").addr()
            }
            AbiKind::Standard => 0x130,
        })
    }

    /// A function behind a face that commloom itself has no use for.
    ///
    /// # Safety
    /// `F` is the prototype of the function.
    unsafe fn symbol<F: Copy>(&self, face: Face, name: &CStr) -> F {
        let library = match face {
            Face::Native => self.mpi.library(),
            Face::Wrapped => &self.seen,
        };
        // SAFETY: the caller answers for the prototype.
        unsafe { symbol(library, name) }
    }
}
