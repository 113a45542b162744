//! Who called the exported function of this thread: its return address, which no code in Rust can
//! see.
//!
//! Each exported function is three instructions in front of the one that does the work: they put
//! the return address where the thread finds it. Unwinding the stack instead takes a microsecond,
//! as long as a short message. On other processors than x86-64 that is what is done.

/// The address that the call of this thread that came in last returns to; `None` where it is not
/// known.
pub(super) fn returns_to() -> Option<usize> {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    {
        let address: usize;
        // SAFETY: reads the variable that is defined below, of this thread.
        unsafe {
            std::arch::asm!(
                "mov {0}, qword ptr [rip + commloom_caller@GOTTPOFF]",
                "mov {0}, qword ptr fs:[{0}]",
                out(reg) address,
                options(nostack, readonly, preserves_flags),
            );
        }
        (address != 0).then_some(address)
    }
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    {
        None
    }
}

// A variable of each thread, in the initial-exec model (a preloaded library is there from the
// start): Rust has thread locals, but no name for them in assembly.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
std::arch::global_asm!(
    ".pushsection .tbss,\"awT\",@nobits",
    ".hidden commloom_caller",
    ".globl commloom_caller",
    ".type commloom_caller, @object",
    ".size commloom_caller, 8",
    ".balign 8",
    "commloom_caller:",
    ".zero 8",
    ".popsection",
);

/// Exports a function of the preload under a name, and remembers who calls it. When it returns,
/// messages of freed receives that have come in are where the program expects them.
#[doc(hidden)]
#[macro_export]
macro_rules! entry {
    (($($name:tt)*) $work:ident($($parameters:tt)*) $body:block) => {
        #[doc = concat!("`", $($name)*, "`, wrapped.")]
        ///
        /// # Safety
        /// As the MPI call.
        #[cfg_attr(
            not(all(target_arch = "x86_64", target_os = "linux")),
            unsafe(export_name = concat!($($name)*))
        )]
        #[allow(non_snake_case, clippy::too_many_arguments)]
        pub unsafe extern "C" fn $work($($parameters)*) -> c_int {
            // The work returns early here and there.
            let work = || -> c_int { $body };
            let code = work();
            PRELOAD.deliver_freed();
            code
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
                    "jmp {work}",
                    work = sym $work,
                )
            }
        };
    };
}
