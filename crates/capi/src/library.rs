//! The MPI library of the process, and graphs on its communicators, whatever its ABI is.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use commloom_commgraph::part::Part;
use commloom_commgraph::schedule::ScheduleOptions;
use commloom_commgraph::{Combine, Reduction};
use commloom_layout::{Basic, Type};
use commloom_mpi::graphs::{Compiled, Context, Summary};
use commloom_mpi::{
    Abi, AbiKind, DEFAULT_BUDGET, Library, LibraryError, Mpi, RawHandle, decode, in_abi,
};

use crate::error::{Failure, cDAG_Error};
use crate::host::{Compiles, Host, Runs, Schedule};
use crate::objects;

/// The MPI library of the process; looked for again as long as there is none.
pub(crate) fn host() -> Result<&'static dyn Host, Failure> {
    static HOST: OnceLock<Box<dyn Host>> = OnceLock::new();
    let host = match HOST.get() {
        Some(host) => host,
        None => {
            let found =
                find().map_err(|e| Failure::new(cDAG_Error::CDAG_ERR_NO_MPI, e.to_string()))?;
            HOST.get_or_init(|| found)
        }
    };
    match host.is_running() {
        true => Ok(&**host),
        false => {
            let text = "MPI has not been initialized, or has been finalized";
            Err(Failure::new(cDAG_Error::CDAG_ERR_NO_MPI, text))
        }
    }
}

fn find() -> Result<Box<dyn Host>, LibraryError> {
    let library = match Library::next(AbiKind::Mpich) {
        Err(LibraryError::WrongAbi { found, .. }) => Library::next(found)?,
        other => other?,
    };
    in_abi!(library.kind(), A => InAbi::<A>::of(library))
}

/// The library in one ABI.
struct InAbi<A: Abi> {
    /// It is never unloaded, and lives until the process ends.
    mpi: &'static Mpi<A>,
    /// The attribute of communicators that holds the number of their context.
    key: OnceLock<c_int>,
}

impl<A: Abi> InAbi<A> {
    fn of(library: Library) -> Result<Box<dyn Host>, LibraryError> {
        // SAFETY: handles come from the program, which answers for them as for those that it gives
        // MPI itself.
        let mpi = unsafe { Mpi::<A>::new(library)? };
        Ok(Box::new(InAbi { mpi: Box::leak(Box::new(mpi)), key: OnceLock::new() }))
    }

    fn key(&self) -> Result<c_int, Failure> {
        if let Some(key) = self.key.get() {
            return Ok(*key);
        }
        // SAFETY: both functions take any value for a number, and have no extra state.
        let key =
            unsafe { self.mpi.comm_create_keyval(leave_out::<A>, forget::<A>, ptr::null_mut()) };
        let key = key.map_err(mpi_failure)?;
        Ok(*self.key.get_or_init(|| key))
    }
}

impl<A: Abi> Host for InAbi<A> {
    fn world(&self) -> usize {
        self.mpi.handles.comm_world.to_bits()
    }

    fn context(&self, comm: usize) -> Result<u64, Failure> {
        let (key, comm) = (self.key()?, A::Comm::from_bits(comm));
        if let Some(known) = self.mpi.comm_attribute(comm, key).map_err(mpi_failure)? {
            return Ok(u64::try_from(known).unwrap_or(0));
        }
        let context = Context::new(self.mpi, comm)?;
        let number = objects::add_context(Box::new(context));
        let value = usize::try_from(number).unwrap_or(0);
        // SAFETY: a number, which is what `forget` expects.
        let set = unsafe { self.mpi.comm_set_attr(comm, key, ptr::without_provenance_mut(value)) };
        set.map_err(mpi_failure)?;
        Ok(number)
    }

    fn layout(&self, datatype: usize) -> Result<Type, Failure> {
        let decoded = decode(self.mpi, A::Datatype::from_bits(datatype), DEFAULT_BUDGET);
        decoded.map_err(|e| Failure::new(cDAG_Error::CDAG_ERR_ARGUMENT, e.to_string()))
    }

    fn reduction(&self, datatype: usize, operation: usize) -> Result<Reduction, Failure> {
        let unsupported = |what: &str| Failure::new(cDAG_Error::CDAG_ERR_UNSUPPORTED, what);
        let handles = &self.mpi.handles;
        let op = A::Op::from_bits(operation);
        let combine = handles.operations().find(|(_, handle)| *handle == op);
        let combine = combine.and_then(|(name, _)| Combine::by_mpi_name(name));
        let unknown = "the operation is none of MPI's own for single elements (MPI_SUM, MPI_MAX, \
                       ...)";
        let combine = combine.ok_or_else(|| unsupported(unknown))?;
        let name = handles.name(A::Datatype::from_bits(datatype));
        let element = name.and_then(Basic::by_name);
        let element = element.ok_or_else(|| unsupported("the datatype is no predefined one"))?;
        Ok(Reduction { combine, element })
    }

    fn is_running(&self) -> bool {
        self.mpi.initialized().unwrap_or(false) && !self.mpi.finalized().unwrap_or(true)
    }
}

impl<A: Abi> Compiles for Context<'static, A> {
    fn part(&self) -> Part {
        Context::part(self)
    }

    fn compile(&mut self, part: &Part, options: ScheduleOptions) -> Result<Schedule, Failure> {
        Ok(Context::compile(self, part, options)?)
    }

    fn machine(&self) -> commloom_commgraph::cost::LogGp {
        Context::machine(self)
    }

    fn measure(&mut self) -> Result<(), Failure> {
        Context::measure(self)?;
        Ok(())
    }
}

impl<A: Abi> Runs for Compiled<'static, A> {
    fn run(&mut self) -> Result<(), Failure> {
        Ok(Compiled::run(self)?)
    }

    fn summary(&self) -> &Summary {
        Compiled::summary(self)
    }
}

fn mpi_failure(error: commloom_mpi::MpiError) -> Failure {
    Failure::new(cDAG_Error::CDAG_ERR_MPI, error.to_string())
}

/// A duplicated communicator gets a context of its own, when it needs one.
unsafe extern "C" fn leave_out<A: Abi>(
    _comm: A::Comm,
    _key: c_int,
    _extra: *mut c_void,
    _value: *mut c_void,
    _new: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: MPI passes a place for the flag (MPI 4.1, section 7.7.2).
    unsafe { *flag = 0 };
    A::CONSTANTS.success
}

/// The program frees a communicator: so do we with ours beside it. Both are collective over the
/// same processes.
unsafe extern "C" fn forget<A: Abi>(
    comm: A::Comm,
    _key: c_int,
    value: *mut c_void,
    _extra: *mut c_void,
) -> c_int {
    // Nothing unwinds into MPI: a panic in here would be a bug without consequences.
    let (number, comm) = (u64::try_from(value.addr()).unwrap_or(0), comm.to_bits());
    let _ = std::panic::catch_unwind(|| {
        // MPI_COMM_WORLD goes when MPI ends: then it is too late to free anything.
        let ends = host().is_ok_and(|host| host.world() == comm);
        objects::drop_context(number, ends);
    });
    A::CONSTANTS.success
}
