//! Who called an MPI function: the first return address that lies neither in the preload nor in
//! the MPI library (Open MPI's Fortran bindings call `PMPI_Send`).
//!
//! Used only where a report or a trace is wanted. Unwinding a few frames takes about a microsecond
//! each; every address is looked up once.

use std::collections::HashMap;
use std::ffi::c_void;
use std::path::Path;
use std::sync::{Arc, Mutex};

use commloom_report::Site;

use crate::runtime::sync::lock;

/// A return address: a file that is mapped, and bytes from where it begins in memory. All
/// processes that run the same program agree on it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub module: Arc<str>,
    pub offset: u64,
}

/// Frames that are looked at before giving up.
const FRAMES: usize = 32;

/// Addresses that are remembered. Code that is made while the program runs has ever new ones.
const ADDRESSES: usize = 1 << 14;

/// Return addresses that were seen, with `None` for those in the preload and in the MPI library.
pub(crate) struct Callers(Mutex<Option<HashMap<usize, Option<Place>>>>);

impl Callers {
    pub const fn new() -> Self {
        Callers(Mutex::new(None))
    }

    /// Who called the MPI function that this is called in. `None` where the stack does not tell.
    pub fn caller(&self) -> Option<Place> {
        self.frame().map(|(_, place)| place)
    }

    /// The same, with the address.
    pub fn frame(&self) -> Option<(usize, Place)> {
        let (mut found, mut frames) = (None, 0);
        backtrace::trace(|frame| {
            frames += 1;
            let address = frame.ip() as usize;
            found = self.place(address).map(|place| (address, place));
            found.is_none() && frames < FRAMES
        });
        found
    }

    /// The place of a return address; `None` in the preload and in the MPI library.
    pub fn place(&self, address: usize) -> Option<Place> {
        if let Some(known) = lock(&self.0).get_or_insert_default().get(&address) {
            return known.clone();
        }
        let place = find(&modules(), address);
        let mut seen = lock(&self.0);
        let seen = seen.get_or_insert_default();
        if seen.len() >= ADDRESSES {
            seen.clear();
        }
        seen.insert(address, place.clone());
        place
    }
}

/// The place of an address of the program.
fn find(modules: &[Module], address: usize) -> Option<Place> {
    let module = modules.iter().find(|m| m.holds(address))?;
    let own = modules.iter().find(|m| m.holds(find as *const () as usize));
    let is_own = own.is_some_and(|own| own.path == module.path);
    if is_own || is_of_mpi(&module.path) {
        return None;
    }
    let offset = u64::try_from(address - module.base()).ok()?;
    Some(Place { module: module.path.as_str().into(), offset })
}

/// Whether a library is part of MPI, by its name: `libmpi.so.40`, `libmpi_mpifh.so.40`,
/// `libmpich.so.12`, `libmpichfort.so.12`, `libmpifort.so.12`, `libmpi_cray.so.12`, `libpmpi.so`.
fn is_of_mpi(path: &str) -> bool {
    let name = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    ["libmpi", "libpmpi"].iter().any(|start| name.starts_with(start))
}

/// A file that is mapped into this process.
#[derive(Debug, PartialEq, Eq)]
struct Module {
    path: String,
    /// Begins and ends of its mappings, in order.
    ranges: Vec<(usize, usize)>,
}

impl Module {
    fn holds(&self, address: usize) -> bool {
        self.ranges.iter().any(|&(start, end)| (start..end).contains(&address))
    }

    /// Where it begins.
    fn base(&self) -> usize {
        self.ranges.first().map_or(0, |range| range.0)
    }
}

/// All files that are mapped; none where the system does not tell.
fn modules() -> Vec<Module> {
    std::fs::read_to_string("/proc/self/maps").map(|maps| parse(&maps)).unwrap_or_default()
}

/// `start-end permissions offset device inode path`, see proc_pid_maps(5).
fn parse(maps: &str) -> Vec<Module> {
    let mut modules: Vec<Module> = Vec::new();
    for line in maps.lines() {
        let Some(slash) = line.find('/') else { continue };
        let range = line.split(' ').next().and_then(|range| range.split_once('-'));
        let number = |digits| usize::from_str_radix(digits, 16).ok();
        let range = range.and_then(|(start, end)| Some((number(start)?, number(end)?)));
        let (Some(range), path) = (range, &line[slash..]) else { continue };
        match modules.iter_mut().find(|m| m.path == path) {
            Some(module) => module.ranges.push(range),
            None => modules.push(Module { path: path.to_owned(), ranges: vec![range] }),
        }
    }
    modules
}

/// Fills in functions, files and lines of places in files that this process has mapped too.
pub(crate) fn resolve<'s>(sites: impl Iterator<Item = &'s mut Site>) {
    let modules = modules();
    let mut known: HashMap<(String, u64), Site> = HashMap::new();
    for site in sites {
        let found = known.entry((site.module.clone(), site.offset)).or_insert_with(|| {
            let mut found = site.clone();
            if let Some(module) = modules.iter().find(|m| m.path == site.module)
                && let Ok(offset) = usize::try_from(site.offset)
            {
                name(module.base().saturating_add(offset), &mut found);
            }
            found
        });
        (site.function, site.file) = (found.function.clone(), found.file.clone());
        site.line = found.line;
    }
}

/// The innermost of the functions that were inlined there is the one that called.
fn name(address: usize, site: &mut Site) {
    backtrace::resolve(address as *mut c_void, |symbol| {
        if site.function.is_some() || site.file.is_some() {
            return;
        }
        site.function = symbol.name().map(|name| format!("{name:#}"));
        site.file = symbol.filename().map(|file| file.to_string_lossy().into_owned());
        site.line = symbol.lineno();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
555500000000-555500001000 r--p 00000000 08:01 11 /home/me/my app
555500001000-555500002000 r-xp 00001000 08:01 11 /home/me/my app
555500800000-555500900000 rw-p 00000000 00:00 0 [heap]
7f0000000000-7f0000001000 r-xp 00000000 08:01 12 /usr/lib/libmpi_mpifh.so.40
7f0000002000-7f0000003000 rw-p 00000000 00:00 0
";

    #[test]
    fn modules_are_files_with_all_their_mappings() {
        let modules = parse(MAPS);
        assert_eq!(modules.len(), 2);
        assert_eq!(modules[0].path, "/home/me/my app");
        assert_eq!(modules[0].ranges.len(), 2);
    }

    #[test]
    fn addresses_of_the_program_have_places_and_those_of_mpi_have_none() {
        let modules = parse(MAPS);
        let place = find(&modules, 0x5555_0000_1234).unwrap();
        assert_eq!((&*place.module, place.offset), ("/home/me/my app", 0x1234));
        assert_eq!(find(&modules, 0x7f00_0000_0010), None);
        assert_eq!(find(&modules, 0x5555_0080_0010), None, "no file");
    }

    #[test]
    fn functions_of_cpp_are_named_as_they_are_written() {
        let name = backtrace::SymbolName::new(b"_ZN4halo8exchangeEPdi");
        assert_eq!(format!("{name:#}"), "halo::exchange(double*, int)");
    }

    #[test]
    fn a_place_of_this_process_is_resolved() {
        let all = modules();
        let address = a_place_of_this_process_is_resolved as *const () as usize + 1;
        let module = all.iter().find(|m| m.holds(address)).unwrap();
        let offset = u64::try_from(address - module.base()).unwrap();
        let mut sites = [Site::new(module.path.clone(), offset), Site::new("/no/such".into(), 1)];
        resolve(sites.iter_mut());
        let function = sites[0].function.as_deref().unwrap();
        assert!(function.contains("a_place_of_this_process_is_resolved"), "{function}");
        assert!(sites[0].file.as_deref().unwrap().ends_with("callers.rs"), "{:?}", sites[0]);
        assert_eq!(sites[1], Site::new("/no/such".into(), 1));
    }
}
