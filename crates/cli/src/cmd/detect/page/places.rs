//! Lines of the program, each once and by number.

use std::collections::HashMap;

use commloom_trace::Site;

use crate::sites::Sites;

/// Those that the page names so far.
#[derive(Default)]
pub struct Places {
    names: Vec<String>,
    numbers: HashMap<Site, usize>,
    sites: Sites,
}

impl Places {
    /// The number of a place, plus one; 0 where it is not known.
    pub fn number(&mut self, site: Option<&Site>) -> usize {
        let Some(site) = site else { return 0 };
        if let Some(number) = self.numbers.get(site) {
            return *number;
        }
        let name = self.sites.name(site);
        // Several calls in one line are one place.
        let known = self.names.iter().position(|other| *other == name);
        let number = 1 + known.unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        self.numbers.insert(site.clone(), number);
        number
    }

    /// Their names, by number.
    pub fn into_names(self) -> Vec<String> {
        self.names
    }
}
