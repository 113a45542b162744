//! Return addresses as functions, files and lines, by the debug information of the files that were mapped there.

use std::collections::HashMap;
use std::path::Path;

use addr2line::Loader;
use commloom_trace::Site;
use goblin::elf::{Elf, program_header::PT_LOAD};

/// What is known of addresses so far.
#[derive(Default)]
pub struct Sites {
    modules: HashMap<String, Option<Module>>,
    names: HashMap<Site, String>,
}

struct Module {
    debug: Loader,
    /// The address that its first byte has in its own symbols.
    base: u64,
}

impl Sites {
    /// `exchange (halo.c:40)`; the module and offset where there is no debug information.
    pub fn name(&mut self, site: &Site) -> String {
        if let Some(known) = self.names.get(site) {
            return known.clone();
        }
        let module = self.modules.entry(site.module.clone());
        let module = module.or_insert_with(|| Module::open(Path::new(&site.module)));
        let name = module.as_ref().and_then(|module| module.name(site.offset));
        let name =
            name.unwrap_or_else(|| format!("{}+{:#x}", file_name(&site.module), site.offset));
        self.names.insert(site.clone(), name.clone());
        name
    }
}

impl Module {
    fn open(path: &Path) -> Option<Module> {
        let bytes = std::fs::read(path).ok()?;
        let headers = Elf::parse(&bytes).ok()?.program_headers;
        let page = 0xfff;
        let loaded = headers.iter().filter(|header| header.p_type == PT_LOAD);
        let base = loaded.map(|header| header.p_vaddr & !page).min()?;
        Some(Module { debug: Loader::new(path).ok()?, base })
    }

    fn name(&self, offset: u64) -> Option<String> {
        // The call is before the address that it returns to.
        let address = self.base.checked_add(offset)?.checked_sub(1)?;
        let place = self.debug.find_location(address).ok().flatten();
        let place = place.and_then(|place| Some((file_name(place.file?).to_owned(), place.line?)));
        let function = self.debug.find_symbol(address);
        let function = function.map(|f| addr2line::demangle_auto(f.into(), None).into_owned());
        match (function, place) {
            (Some(function), Some((file, line))) => Some(format!("{function} ({file}:{line})")),
            (None, Some((file, line))) => Some(format!("{file}:{line}")),
            (function, None) => function,
        }
    }
}

fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}
