//! Memory of GPUs, which the processor cannot read or write: such buffers go to the library as
//! they are, which may be able to send from them. Managed memory too, because every access of the
//! processor would move its pages.
//!
//! The driver knows what an address is. Where none is loaded there is no such memory, and to know
//! that costs one number of the dynamic linker: a driver may come at any time, with the first call
//! of the CUDA runtime. It is never initialised or loaded by us. book/src/explanation/gpu.md says
//! what is asked and what it costs.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_int, c_uint, c_void};
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use commloom_mpi::loaded_names;

/// The reason in the report.
pub(crate) const GPU_BUFFER: &str = "GPU buffer";
/// The same for `MPI_BOTTOM` where a driver is loaded: the parts may be anything.
const ANYWHERE: &str = "MPI_BOTTOM, and perhaps a GPU buffer";

const CUDA: &[&CStr] = &[c"libcuda.so.1"];
const HIP: &[&CStr] =
    &[c"libamdhip64.so.7", c"libamdhip64.so.6", c"libamdhip64.so.5", c"libamdhip64.so"];
const LEVEL_ZERO: &[&CStr] = &[c"libze_loader.so.1"];

/// The drivers of this process.
#[derive(Debug)]
pub(crate) struct Gpus {
    /// Objects that the dynamic linker had loaded when the drivers were looked for.
    loads: AtomicU64,
    is_any: AtomicBool,
    cuda: OnceLock<Cuda>,
    hip: OnceLock<Hip>,
    /// It cannot be asked without the program's context.
    level_zero: AtomicBool,
    /// Memory that can never be a GPU's.
    host: OnceLock<[Range<usize>; 2]>,
}

/// `cuPointerGetAttribute`, and `cuMemGetAddressRange` where it is there.
#[derive(Debug, Clone, Copy)]
struct Cuda {
    attribute: CudaAttribute,
    range: Option<CudaRange>,
}

type CudaAttribute = unsafe extern "C" fn(*mut c_void, c_int, u64) -> c_int;
type CudaRange = unsafe extern "C" fn(*mut u64, *mut usize, u64) -> c_int;
type HipAsk = unsafe extern "C" fn(*mut HipAttributes, *const c_void) -> c_int;

/// `hipPointerGetAttributes`.
#[derive(Debug, Clone, Copy)]
struct Hip(HipAsk);

/// `hipPointerAttribute_t`: the kind of memory, and more than any version writes.
#[repr(C, align(16))]
struct HipAttributes([c_int; 64]);

// Of cuda.h.
const CUDA_SUCCESS: c_int = 0;
const CUDA_ERROR_INVALID_VALUE: c_int = 1;
const CUDA_ERROR_NOT_INITIALIZED: c_int = 3;
const CUDA_ERROR_DEINITIALIZED: c_int = 4;
const CU_POINTER_ATTRIBUTE_MEMORY_TYPE: c_int = 2;
const CU_POINTER_ATTRIBUTE_IS_MANAGED: c_int = 8;
const CU_MEMORYTYPE_HOST: c_uint = 1;

thread_local! {
    /// An allocation of a GPU that this thread met last. When it is freed, a buffer of the host
    /// may lie there: then that one goes to the library too, which is right.
    static LAST: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

impl Gpus {
    pub const fn new() -> Gpus {
        Gpus {
            loads: AtomicU64::new(0),
            is_any: AtomicBool::new(false),
            cuda: OnceLock::new(),
            hip: OnceLock::new(),
            level_zero: AtomicBool::new(false),
            host: OnceLock::new(),
        }
    }

    /// Whether a driver is loaded.
    #[inline]
    pub fn are_there(&self) -> bool {
        let loads = loads();
        if self.loads.load(Ordering::Acquire) != loads {
            self.look();
            // Afterwards: another thread does not go on before all of them are known.
            self.loads.store(loads, Ordering::Release);
        }
        self.is_any.load(Ordering::Acquire)
    }

    /// Why the bytes `bounds` from `buffer` on are left to the library; `None` where the processor
    /// may use them.
    #[inline]
    pub fn refuse(&self, buffer: *const c_void, bounds: Range<i64>) -> Option<&'static str> {
        if !self.are_there() || bounds.is_empty() {
            return None;
        }
        if buffer.is_null() {
            return Some(ANYWHERE);
        }
        // One buffer lies in one object of the program (MPI 4.1, section 5.1.12).
        let at = |displacement: i64| {
            buffer.addr().wrapping_add_signed(isize::try_from(displacement).unwrap_or(0))
        };
        let (first, last) = (at(bounds.start), at(bounds.end - 1));
        (self.holds(first) || self.holds(last)).then_some(GPU_BUFFER)
    }

    fn look(&self) {
        let names = loaded_names();
        if self.cuda.get().is_none()
            && let Some(cuda) = Cuda::find(&names)
        {
            let _ = self.cuda.set(cuda);
        }
        if self.hip.get().is_none()
            && let Some(hip) = Hip::find(&names)
        {
            let _ = self.hip.set(hip);
        }
        if loaded(&names, LEVEL_ZERO).is_some() {
            self.level_zero.store(true, Ordering::Release);
        }
        let level_zero = self.level_zero.load(Ordering::Acquire);
        if self.cuda.get().is_some() || self.hip.get().is_some() || level_zero {
            self.is_any.store(true, Ordering::Release);
        }
    }

    /// Whether an address is, or may be, a GPU's.
    fn holds(&self, address: usize) -> bool {
        if self.level_zero.load(Ordering::Acquire) {
            return true;
        }
        let (start, end) = LAST.try_with(Cell::get).unwrap_or_default();
        if (start..end).contains(&address) {
            return true;
        }
        if self.host.get_or_init(host).iter().any(|range| range.contains(&address)) {
            return false;
        }
        self.cuda.get().is_some_and(|cuda| cuda.holds(address))
            || self.hip.get().is_some_and(|hip| hip.holds(address))
    }
}

impl Cuda {
    fn find(known: &[CString]) -> Option<Cuda> {
        let driver = loaded(known, CUDA)?;
        let attribute = driver.function(c"cuPointerGetAttribute")?;
        let range = driver.function(c"cuMemGetAddressRange_v2");
        // SAFETY: functions of these names in libcuda.so.1 have these prototypes (cuda.h):
        // CUdeviceptr is 64 bits wide, enumerations are ints.
        unsafe {
            Some(Cuda {
                attribute: std::mem::transmute::<*mut c_void, CudaAttribute>(attribute),
                range: range.map(|range| std::mem::transmute::<*mut c_void, CudaRange>(range)),
            })
        }
    }

    fn holds(self, address: usize) -> bool {
        let mut kind: c_uint = 0;
        match self.ask(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address, &mut kind) {
            CUDA_SUCCESS => {}
            // No address of its, or there is nothing yet that could be.
            CUDA_ERROR_INVALID_VALUE | CUDA_ERROR_NOT_INITIALIZED | CUDA_ERROR_DEINITIALIZED => {
                return false;
            }
            // It does not say.
            _ => return true,
        }
        let mut managed: c_uint = 0;
        let code = self.ask(CU_POINTER_ATTRIBUTE_IS_MANAGED, address, &mut managed);
        // A flag may be as narrow as a byte.
        let is_managed = code == CUDA_SUCCESS && managed & 0xff != 0;
        let holds = kind != CU_MEMORYTYPE_HOST || is_managed;
        if holds {
            self.remember(address);
        }
        holds
    }

    fn ask(self, attribute: c_int, address: usize, answer: &mut c_uint) -> c_int {
        let address = u64::try_from(address).unwrap_or(0);
        // SAFETY: both attributes fill in at most an int; any address may be asked for.
        unsafe { (self.attribute)(std::ptr::from_mut(answer).cast(), attribute, address) }
    }

    fn remember(self, address: usize) {
        let Some(range) = self.range else { return };
        let (mut start, mut length) = (0_u64, 0_usize);
        let at = u64::try_from(address).unwrap_or(0);
        // SAFETY: both places are writable; any address may be asked for.
        let code = unsafe { range(&raw mut start, &raw mut length, at) };
        if code == CUDA_SUCCESS
            && let Ok(start) = usize::try_from(start)
        {
            // A thread that is ending has no such place any more.
            let _ = LAST.try_with(|last| last.set((start, start.saturating_add(length))));
        }
    }
}

impl Hip {
    fn find(known: &[CString]) -> Option<Hip> {
        let function = loaded(known, HIP)?.function(c"hipPointerGetAttributes")?;
        // SAFETY: a function of this name in libamdhip64.so has this prototype
        // (hip_runtime_api.h).
        Some(Hip(unsafe { std::mem::transmute::<*mut c_void, HipAsk>(function) }))
    }

    /// Addresses that it does not know are an error, or of kind 0. What the others are called
    /// depends on the version: memory of the host that it knows may be one of them.
    fn holds(self, address: usize) -> bool {
        let mut attributes = HipAttributes([0; 64]);
        let address = std::ptr::without_provenance(address);
        // SAFETY: there is more room than any version of the structure has; any address may be
        // asked for.
        let code = unsafe { (self.0)(&raw mut attributes, address) };
        code == 0 && attributes.0[0] != 0
    }
}

/// A library that is loaded. It stays loaded, because its functions are kept.
struct Driver(*mut c_void);

impl Driver {
    fn function(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the handle is of dlopen, the name a C string.
        let function = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!function.is_null()).then_some(function)
    }
}

/// The first of these versions of a library that the process has loaded, which knows what it has
/// loaded by these names. The linker is asked for no other: before it says that it has not loaded
/// one it looks into every folder of its path, which are 130 calls of the system here, and slow
/// ones where the folders are on a network.
fn loaded(known: &[CString], names: &[&CStr]) -> Option<Driver> {
    let stem = |name: &CStr| {
        let name = name.to_string_lossy().into_owned();
        let file = name.rsplit('/').next().unwrap_or_default();
        file.split(".so").next().unwrap_or_default().to_owned()
    };
    let wanted = stem(names.first()?);
    if !known.iter().any(|name| stem(name) == wanted) {
        return None;
    }
    names.iter().find_map(|name| {
        // SAFETY: a C string. RTLD_NOLOAD loads nothing and runs no initializer.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        (!handle.is_null()).then_some(Driver(handle))
    })
}

/// How many objects the dynamic linker has loaded since the process began.
fn loads() -> u64 {
    unsafe extern "C" fn first(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        loads: *mut c_void,
    ) -> c_int {
        // SAFETY: the linker passes a valid record, and the number given below.
        unsafe { *loads.cast::<u64>() = (*info).dlpi_adds };
        1
    }
    let mut loads = 0_u64;
    // SAFETY: the function has the right type, does not unwind, and ends the walk at once.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut loads).cast()) };
    loads
}

/// The heap that grows by `brk` and the stack of the first thread, as they are now: the system
/// gives their addresses to nothing else, and nothing takes them away from the process. Static
/// data may go with its library, and stacks of threads with them.
fn host() -> [Range<usize>; 2] {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    ["[heap]", "[stack]"].map(|name| {
        let line = maps.lines().find(|line| line.ends_with(name));
        let range = line.and_then(|line| line.split(' ').next()?.split_once('-'));
        let number = |digits| usize::from_str_radix(digits, 16).ok();
        range.and_then(|(start, end)| Some(number(start)?..number(end)?)).unwrap_or(0..0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_driver_every_buffer_is_the_processors() {
        let gpus = Gpus::new();
        let memory = [0_u8; 16];
        assert!(!gpus.are_there());
        assert_eq!(gpus.refuse(memory.as_ptr().cast(), 0..16), None);
        assert_eq!(gpus.refuse(std::ptr::null(), 0..16), None);
    }

    #[test]
    fn the_linker_counts_what_it_loads() {
        assert!(loads() > 0);
    }

    #[test]
    fn small_objects_lie_where_no_gpu_has_memory() {
        let [heap, _] = host();
        let small = Box::new(7_u8);
        // Other allocators have no such heap.
        assert!(heap.is_empty() || heap.start < heap.end);
        std::hint::black_box(small);
    }
}
