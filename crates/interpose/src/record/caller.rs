//! Who called the exported function of this thread, and where its stack ends: its return address
//! and stack pointer, which no code in Rust can see.
//!
//! Each exported function is four instructions in front of the one that does the work: they put
//! both where the thread finds them. Unwinding the stack instead takes a microsecond, as long as a
//! short message. On other processors than x86-64 that is what is done.

/// The call of this thread that came in last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    /// The address that it returns to; `None` where that is not known.
    pub caller: Option<usize>,
    /// Where the stack of the program ends, about; what lies below is our own.
    pub stack: u64,
}

impl Arrival {
    /// Of this call of an exported function.
    pub fn here() -> Arrival {
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        {
            let (address, stack): (usize, u64);
            // SAFETY: reads the variables that are defined below, of this thread.
            unsafe {
                std::arch::asm!(
                    "mov {0}, qword ptr [rip + commloom_caller@GOTTPOFF]",
                    "mov {1}, qword ptr fs:[{0} + 8]",
                    "mov {0}, qword ptr fs:[{0}]",
                    out(reg) address,
                    out(reg) stack,
                    options(nostack, readonly, preserves_flags),
                );
            }
            Arrival { caller: (address != 0).then_some(address), stack }
        }
        #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
        {
            let here = 0_u8;
            let stack = u64::try_from((&raw const here).addr()).unwrap_or(0);
            Arrival { caller: None, stack }
        }
    }
}

// Two variables of each thread, in the initial-exec model (a preloaded library is there from the
// start): Rust has thread locals, but no name for them in assembly.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
std::arch::global_asm!(
    ".pushsection .tbss,\"awT\",@nobits",
    ".hidden commloom_caller",
    ".globl commloom_caller",
    ".type commloom_caller, @object",
    ".size commloom_caller, 16",
    ".balign 16",
    "commloom_caller:",
    ".zero 16",
    ".popsection",
);

/// Exports a function of MPI under both of its names; `$functions` is the table whose function of
/// the same name the work calls. Both share the work: a second copy of everything behind it was
/// half of what a preload takes to compile.
#[doc(hidden)]
#[macro_export]
macro_rules! exported {
    ([$name:ident $($suffix:literal)?] ($($argument:ident: $ty:ty),* $(,)?) |$functions:ident|
        $body:block) =>
    {
        const _: () = {
            /// # Safety
            /// As the MPI call.
            #[allow(clippy::too_many_arguments)]
            unsafe fn work(
                $($argument: $ty,)*
                $functions: &'static $crate::reexport::Functions<Table>,
            ) -> c_int {
                // The work returns early here and there.
                let work = || -> c_int { $body };
                let border = $crate::reexport::ProgramBorder::new();
                let code = work();
                PRELOAD.deliver_freed();
                border.passed();
                code
            }

            $crate::entry! {
                ("MPI_", stringify!($name) $(, $suffix)?) next mpi ($($argument: $ty),*)
            }
            $crate::entry! {
                ("PMPI_", stringify!($name) $(, $suffix)?) own pmpi ($($argument: $ty),*)
            }
        };
    };
}

/// Exports the function `work` under a name, and remembers who calls it. When it returns, messages
/// of freed receives that have come in are where the program expects them.
#[doc(hidden)]
#[macro_export]
macro_rules! entry {
    (($($name:tt)*) $table:ident $entry:ident ($($argument:ident: $ty:ty),*)) => {
        #[doc = concat!("`", $($name)*, "`, wrapped.")]
        ///
        /// # Safety
        /// As the MPI call.
        #[cfg_attr(
            not(all(target_arch = "x86_64", target_os = "linux")),
            unsafe(export_name = concat!($($name)*))
        )]
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C-unwind" fn $entry($($argument: $ty),*) -> c_int {
            // SAFETY: the program calls this as it would call MPI.
            unsafe { work($($argument,)* &PRELOAD.mpi().$table) }
        }

        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        const _: () = {
            // r10 and r11 are nobody's between a call and the function that is called.
            #[unsafe(naked)]
            #[unsafe(export_name = concat!($($name)*))]
            pub unsafe extern "C" fn entry() {
                ::std::arch::naked_asm!(
                    "mov r10, qword ptr [rsp]",
                    "mov r11, qword ptr [rip + commloom_caller@GOTTPOFF]",
                    "mov qword ptr fs:[r11], r10",
                    "mov qword ptr fs:[r11 + 8], rsp",
                    "jmp {work}",
                    work = sym $entry,
                )
            }
        };
    };
}
