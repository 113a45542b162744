//! Where and with what it was measured.

use std::time::SystemTime;

use commloom_measure::date;
use commloom_measure::machine::{Machine, file, version};

use crate::hand::Compiler;
use crate::mpi::Peer;
use crate::options::Options;

/// Facts about the machine and the run that are worth keeping, as names and values.
pub fn environment(
    options: &Options,
    compilers: &[Compiler],
    peers: &[Peer],
) -> Vec<(String, String)> {
    let cpu =
        |name: &str| format!("/sys/devices/system/cpu/cpu{}/{name}", options.cpu.unwrap_or(0));
    let file = |path: &str| file(path).unwrap_or_default();
    let machine = Machine::here();
    let mut all = vec![
        ("date".into(), date::minute(SystemTime::now())),
        ("revision".into(), version("git", &["describe", "--always", "--dirty"])),
        ("processor".into(), machine.processor),
        ("processors".into(), machine.cores.to_string()),
        ("caches".into(), caches(&cpu("cache"))),
        ("governor".into(), file(&cpu("cpufreq/scaling_governor"))),
        (
            "huge pages of shared memory".into(),
            file("/sys/kernel/mm/transparent_hugepage/shmem_enabled"),
        ),
        ("kernel".into(), machine.kernel),
        ("rustc".into(), version("rustc", &["--version"])),
        ("seed".into(), options.seed.to_string()),
        ("descriptions".into(), if options.normalize { "normalized" } else { "as given" }.into()),
        ("misalign".into(), options.misalign.to_string()),
        (
            "pinned to".into(),
            options.cpu.map_or("nothing".into(), |cpu| format!("processor {cpu}")),
        ),
    ];
    all.extend(compilers.iter().map(|c| {
        (c.command.to_owned(), format!("{}; {}", c.version, crate::hand::FLAGS.join(" ")))
    }));
    let told = |peer: &Peer| peer.version.chars().take(120).collect::<String>();
    all.extend(peers.iter().map(|p| (p.name(), format!("{}: {}", p.path.display(), told(p)))));
    all.retain(|(_, value)| !value.is_empty());
    all
}

fn caches(folder: &str) -> String {
    let cache = |index: u32| {
        let field = |name: &str| file(&format!("{folder}/index{index}/{name}")).unwrap_or_default();
        let (level, kind, size) = (field("level"), field("type"), field("size"));
        (kind != "Instruction" && !size.is_empty()).then(|| format!("L{level} {size}"))
    };
    (0..8).filter_map(cache).collect::<Vec<_>>().join(", ")
}

/// Keeps this process and those that it starts on one processor.
///
/// # Errors
/// There is no such processor, or it must not be used.
pub fn pin(cpu: usize) -> Result<(), String> {
    // SAFETY: all zeros is an empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    if cpu >= 8 * size_of::<libc::cpu_set_t>() {
        return Err(format!("no processor {cpu}"));
    }
    // SAFETY: a set of that size, which has the bit.
    let done = unsafe {
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set)
    };
    if done == 0 {
        Ok(())
    } else {
        Err(format!("processor {cpu}: {}", std::io::Error::last_os_error()))
    }
}
