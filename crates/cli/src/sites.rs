//! Return addresses as functions, files and lines, by the debug information of the files that
//! were mapped there.

use std::collections::HashMap;
use std::path::Path;

use addr2line::Loader;
use commloom_advice::{Called, Frame, file_name};
use commloom_guard::Origin;
use commloom_source::Language;
use commloom_trace::Site;
use goblin::elf::{Elf, program_header::PT_LOAD};

use crate::files::DATA;

/// The addresses that are known so far.
#[derive(Default)]
pub struct Sites {
    modules: HashMap<String, Option<Module>>,
    calls: HashMap<Site, Called>,
}

struct Module {
    debug: Loader,
    /// The address that its first byte has in its own symbols.
    base: u64,
}

impl Sites {
    /// `exchange (halo.c:40)`; the module and offset where there is no debug information.
    pub fn name(&mut self, site: &Site) -> String {
        self.call(site).to_string()
    }

    /// From where a call was made, in the program of the user.
    pub fn call(&mut self, site: &Site) -> Called {
        if let Some(known) = self.calls.get(site) {
            return known.clone();
        }
        let module = self.modules.entry(site.module.clone());
        let module = module.or_insert_with(|| Module::open(Path::new(&site.module)));
        let frames = module.as_ref().and_then(|module| module.frames(site.offset));
        let address = format!("{}+{:#x}", file_name(&site.module), site.offset);
        let called = Called { frames: own(frames.unwrap_or_default()), address };
        self.calls.insert(site.clone(), called.clone());
        called
    }
}

/// Without the functions of installed headers (C++ wrappers of MPI) that a function of the program
/// has inlined.
fn own(frames: Vec<Frame>) -> Vec<Frame> {
    let installed = |frame: &&Frame| {
        let file = frame.file.as_deref().unwrap_or_default();
        ["/usr/include/", "/usr/lib/", "/opt/"].iter().any(|folder| file.starts_with(folder))
    };
    let foreign = frames.iter().take_while(installed).count();
    let skipped = if foreign == frames.len() { 0 } else { foreign };
    frames.into_iter().skip(skipped).collect()
}

impl Module {
    fn open(path: &Path) -> Option<Module> {
        // A trace names the file, and anybody may have written the trace.
        let bytes = commloom_guard::read(path, Origin::Named, DATA).ok()?;
        let headers = Elf::parse(&bytes).ok()?.program_headers;
        let page = 0xfff;
        let loaded = headers.iter().filter(|header| header.p_type == PT_LOAD);
        let base = loaded.map(|header| header.p_vaddr & !page).min()?;
        Some(Module { debug: Loader::new(path).ok()?, base })
    }

    /// The innermost function first.
    fn frames(&self, offset: u64) -> Option<Vec<Frame>> {
        // The call is before the address that it returns to.
        let address = self.base.checked_add(offset)?.checked_sub(1)?;
        let symbol = || {
            let name = self.debug.find_symbol(address)?;
            Some(addr2line::demangle_auto(name.into(), None).into_owned())
        };
        let mut frames = Vec::new();
        if let Ok(mut found) = self.debug.find_frames(address) {
            while let Ok(Some(frame)) = found.next() {
                let language = frame.function.as_ref().and_then(|name| name.language);
                let (file, line) = frame.location.map_or((None, None), |l| (l.file, l.line));
                let is_fortran = match language {
                    Some(language) => FORTRAN.contains(&language.0),
                    None => file.and_then(Language::of_name).is_some_and(Language::is_fortran),
                };
                let function = frame.function.as_ref().and_then(|name| name.demangle().ok());
                let function = function.map(|name| match is_fortran {
                    true => in_fortran(&name),
                    false => name.into_owned(),
                });
                frames.push(Frame { function, file: file.map(str::to_owned), line, is_fortran });
            }
        }
        // gfortran's `main` only calls the main program.
        if frames.len() > 1 && frames.last().is_some_and(|f| f.is_fortran && f.is_named("main")) {
            frames.pop();
        }
        if let [only] = &mut frames[..] {
            only.function = only.function.take().or_else(symbol);
        }
        if frames.is_empty() {
            frames.push(Frame {
                function: Some(symbol()?),
                file: None,
                line: None,
                is_fortran: false,
            });
        }
        Some(frames)
    }
}

/// Fortran 77, 90, 95, 2003, 2008, 2018 and 2023 (DWARF 5, section 7.12, and its later list).
const FORTRAN: [u16; 7] = [0x07, 0x08, 0x0e, 0x22, 0x23, 0x2d, 0x49];

/// The name of a procedure without what gfortran adds: `MAIN__`, `exchange_`,
/// `__halo_MOD_exchange`.
fn in_fortran(name: &str) -> String {
    if name == "MAIN__" {
        return "main program".to_owned();
    }
    match name.strip_prefix("__").and_then(|rest| rest.split_once("_MOD_")) {
        Some((module, procedure)) => format!("{module}::{procedure}"),
        None => name.strip_suffix('_').unwrap_or(name).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn procedures_are_called_as_in_the_source() {
        assert_eq!(in_fortran("MAIN__"), "main program");
        assert_eq!(in_fortran("exchange_"), "exchange");
        assert_eq!(in_fortran("__halo_MOD_exchange"), "halo::exchange");
    }

    #[test]
    fn functions_of_installed_headers_are_not_the_program() {
        let frame = |file: &str| Frame {
            function: None,
            file: Some(file.to_owned()),
            line: Some(1),
            is_fortran: false,
        };
        let inlined = vec![frame("/usr/include/mpicxx.h"), frame("/home/me/a.cc")];
        assert_eq!(own(inlined), vec![frame("/home/me/a.cc")]);
        let only = vec![frame("/usr/include/mpicxx.h")];
        assert_eq!(own(only.clone()), only);
    }
}
