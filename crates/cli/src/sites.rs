//! Return addresses as functions, files and lines, by the debug information of the files that
//! were mapped there.

use std::collections::HashMap;
use std::path::Path;

use addr2line::Loader;
use commloom_advice::{Called, Frame, file_name};
use commloom_guard::Origin;
use commloom_source::Language;
use commloom_trace::Site;
use cpp_demangle::DemangleOptions;
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
            Some(as_in_source(name))
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
                let function = frame.function.as_ref().and_then(|name| name.raw_name().ok());
                let function = function.map(|name| match is_fortran {
                    true => in_fortran(&name),
                    false => as_in_source(&name),
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

/// The name of a function without what C++ adds: what it takes and returns, and the arguments of
/// templates, which fill a screen in codes that use them much.
fn as_in_source(name: &str) -> String {
    let short = DemangleOptions::new().no_params().no_return_type();
    let symbol = cpp_demangle::Symbol::new(name).ok();
    match symbol.and_then(|symbol| symbol.demangle_with_options(&short).ok()) {
        Some(name) => without_templates(&name).unwrap_or(name),
        None => addr2line::demangle_auto(name.into(), None).into_owned(),
    }
}

/// `Comm<mpi>::start<float>` as `Comm::start`; `None` where the brackets are not all of templates.
fn without_templates(name: &str) -> Option<String> {
    let (mut short, mut depth) = (String::new(), 0usize);
    for letter in name.chars() {
        // `operator<`, `operator->`, `operator<<`.
        let named = short.trim_end_matches(['<', '>', '-', '=']);
        let is_operator = depth == 0 && named.ends_with("operator");
        match letter {
            _ if is_operator => short.push(letter),
            '<' => depth += 1,
            '>' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => short.push(letter),
            _ => {}
        }
    }
    (depth == 0).then(|| short.trim_end().to_owned())
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
    fn functions_of_templates_are_called_as_in_the_source() {
        // Of `template<class A, class B> void Comm<A, B>::start(Context<A>&) const`.
        let start = "_ZNK4CommI3mpi3seqE5startERK7ContextIS0_E";
        assert_eq!(as_in_source(start), "Comm::start");
        assert_eq!(as_in_source("_Z5printIJiSt6vectorIdSaIdEEEEvDpT_"), "print");
        assert_eq!(as_in_source("_ZlsI4MeshERSoS1_RKT_"), "operator<<");
        assert_eq!(as_in_source("_ZNK5OrderltERKS_"), "Order::operator<");
        assert_eq!(as_in_source("exchange"), "exchange");
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
