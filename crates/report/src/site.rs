//! [`Site`]: where a program called `MPI_Type_commit`.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// A return address, as all ranks agree on it: they load the same file at different addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// The program or shared library that holds it.
    pub module: String,
    /// Bytes from where the module begins in memory.
    pub offset: u64,
    /// The function, where its name is known.
    #[serde(default)]
    pub function: Option<String>,
    /// The source file, where there is debug information.
    #[serde(default)]
    pub file: Option<String>,
    /// The line in it.
    #[serde(default)]
    pub line: Option<u32>,
    /// Handles that were committed there.
    #[serde(default)]
    pub handles: u64,
}

impl Site {
    /// A place of which nothing else is known yet.
    #[must_use]
    pub fn new(module: String, offset: u64) -> Site {
        Site { module, offset, ..Site::default() }
    }

    /// Whether both are the same place.
    pub(crate) fn is_at(&self, other: &Site) -> bool {
        self.offset == other.offset && self.module == other.module
    }
}

/// `exchange at halo.c:42`, or as much of it as is known.
impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let module = Path::new(&self.module).file_name().map(|name| name.to_string_lossy());
        let module = module.as_deref().unwrap_or(&self.module);
        match (&self.function, &self.file, self.line) {
            (Some(function), Some(file), Some(line)) => write!(f, "{function} at {file}:{line}"),
            (None, Some(file), Some(line)) => write!(f, "{file}:{line}"),
            (Some(function), ..) => write!(f, "{function} in {module}+{:#x}", self.offset),
            (None, ..) => write!(f, "{module}+{:#x}", self.offset),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_says_as_much_as_is_known() {
        let mut site = Site::new("/opt/lib/libx.so".into(), 0x1234);
        assert_eq!(site.to_string(), "libx.so+0x1234");
        site.function = Some("exchange".into());
        assert_eq!(site.to_string(), "exchange in libx.so+0x1234");
        (site.file, site.line) = (Some("/src/halo.c".into()), Some(42));
        assert_eq!(site.to_string(), "exchange at /src/halo.c:42");
        site.function = None;
        assert_eq!(site.to_string(), "/src/halo.c:42");
    }
}
