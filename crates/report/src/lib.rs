//! The report of one run: per type what the program described, who created it, what became of
//! its messages and what that took.
//!
//! ```text
//! interpose: rows of every rank ─► Report::merge ─► text, JSON, a web page
//!                                     JSON ─► commloom report ─► text, a web page
//! ```
//!
//! The JSON is read by scripts: its fields keep their names and meaning, new ones are added.

#![forbid(unsafe_code)]

mod brief;
mod exchange;
mod html;
mod memory;
pub mod numbers;
mod replaced;
mod row;
mod site;
mod text;

use std::collections::BTreeMap;
use std::path::Path;

use commloom_guard::visible;
use serde::{Deserialize, Serialize};

pub use brief::brief;
pub use exchange::{Exchange, Timing};
pub use memory::{Memory, Pictures};
pub use replaced::Replaced;
pub use row::Row;
pub use site::Site;

/// The whole report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// First line of what `MPI_Get_library_version` says.
    pub library: String,
    /// The basis of the choice of ways; empty where that is not known.
    #[serde(default)]
    pub choice: String,
    /// Processes of `MPI_COMM_WORLD`.
    pub ranks: usize,
    /// Contained failures of commloom itself.
    pub failures: u64,
    /// One row per layout that the program described, the one with most bytes first.
    pub types: Vec<Row>,
    /// Groups of persistent requests that collective operations may replace; empty where that was
    /// not asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<Replaced>,
    /// Calls with datatypes that go to the library untouched and are not counted.
    #[serde(default)]
    pub untouched: Vec<String>,
}

/// Calls with datatypes that no preload wraps.
const UNTOUCHED: &[&str] = &[
    "reductions (MPI_Reduce, MPI_Allreduce, MPI_Scan, ...)",
    "one-sided communication (MPI_Put, MPI_Get, MPI_Accumulate, ...)",
    "files (MPI_File_*)",
    "partitioned communication (MPI_Psend_init, MPI_Precv_init)",
    "MPI_Pack_external, MPI_Unpack_external",
];

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For terminals.
    Text,
    /// For scripts.
    Json,
    /// One self-contained web page.
    Html,
}

impl Format {
    /// The format that the end of a file's name asks for: `.json`, `.html` or `.htm`, anything
    /// else is text.
    #[must_use]
    pub fn of(path: &Path) -> Format {
        let is = |wanted| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(wanted));
        match () {
            () if is("json") => Format::Json,
            () if is("html") || is("htm") => Format::Html,
            () => Format::Text,
        }
    }

    /// Whether rows need pictures of their layouts.
    #[must_use]
    pub fn has_pictures(self) -> bool {
        self != Format::Text
    }
}

impl Report {
    /// A report without rows yet.
    #[must_use]
    pub fn new(library: &str, choice: &str, ranks: usize) -> Report {
        Report {
            library: library.lines().next().unwrap_or_default().trim().to_owned(),
            choice: choice.to_owned(),
            ranks,
            untouched: UNTOUCHED.iter().map(|&call| call.to_owned()).collect(),
            ..Report::default()
        }
    }

    /// Adds the rows of the ranks: a layout that several of them described becomes one row.
    pub fn merge(&mut self, rows: impl IntoIterator<Item = Row>) {
        let mut table: BTreeMap<(String, String), Row> = BTreeMap::new();
        for row in std::mem::take(&mut self.types).into_iter().chain(rows) {
            match table.get_mut(&(row.before.clone(), row.after.clone())) {
                Some(old) => old.absorb(row),
                None => {
                    table.insert((row.before.clone(), row.after.clone()), row);
                }
            }
        }
        self.types = table.into_values().collect();
        self.types.sort_by_key(|row| std::cmp::Reverse(row.bytes));
        self.types.iter_mut().for_each(Row::sort);
    }

    /// Adds the groups of one rank.
    pub fn merge_replaced(&mut self, groups: impl IntoIterator<Item = Replaced>) {
        for group in groups {
            match self.replaced.iter_mut().find(|old| old.group == group.group) {
                Some(old) => old.absorb(group),
                None => self.replaced.push(group),
            }
        }
        self.replaced.sort_by_key(|group| group.group);
    }

    /// All places where types were created. Ranks load the same file at different addresses: only
    /// the process that writes the report knows whether it can resolve them.
    pub fn sites_mut(&mut self) -> impl Iterator<Item = &mut Site> {
        self.types.iter_mut().flat_map(|row| row.sites.iter_mut())
    }

    /// In this format.
    #[must_use]
    pub fn write(&self, format: Format) -> String {
        match format {
            Format::Text => visible(&text::text(self)).into_owned(),
            // A report is text and numbers: that cannot fail.
            Format::Json => serde_json::to_string_pretty(self).unwrap_or_default() + "\n",
            Format::Html => html::page(self),
        }
    }

    /// Reads what was written as JSON, also by earlier versions.
    ///
    /// # Errors
    /// It is no JSON, or not that of a report.
    pub fn read(json: &str) -> Result<Report, serde_json::Error> {
        serde_json::from_str(json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        let site = Site::new("/bin/app".into(), 16);
        Row {
            before: "B".into(),
            handles: 1,
            calls: 2,
            bytes: 16,
            native: [("contiguous".to_owned(), 1)].into(),
            sites: vec![Site { handles: 1, ..site }],
            ..Row::default()
        }
    }

    #[test]
    fn the_same_type_on_two_ranks_is_one_row() {
        let mut report = Report::new("L", "", 2);
        report.merge([row(), Row { before: "C".into(), bytes: 99, ..row() }]);
        report.merge([row()]);
        assert_eq!(report.types.len(), 2);
        let both = &report.types[1];
        assert_eq!((both.handles, both.calls, both.bytes), (2, 4, 32));
        assert_eq!(both.native["contiguous"], 2);
        assert_eq!(both.sites.len(), 1, "one place, two handles");
        assert_eq!(both.sites[0].handles, 2);
    }

    #[test]
    fn what_is_written_as_json_is_read_again() {
        let mut report = Report::new("L", "measured here", 1);
        report.merge([row()]);
        assert_eq!(Report::read(&report.write(Format::Json)).unwrap(), report);
    }

    #[test]
    fn reports_of_earlier_versions_are_read() {
        let json = r#"{"library": "L", "ranks": 2, "failures": 0, "types": [{"before": "B",
            "after": "A", "cost_before": 2, "cost_after": 1, "handles": 1, "calls": 1, "bytes": 8,
            "engine": 1, "substituted": 0, "pack_ns": 5, "unpack_ns": 0, "native": {}}]}"#;
        let report = Report::read(json).unwrap();
        assert_eq!((report.types[0].engine, report.types[0].sites.len()), (1, 0));
    }

    #[test]
    fn the_format_is_that_of_the_name() {
        let of = |name: &str| Format::of(Path::new(name));
        assert_eq!([of("r.JSON"), of("a/r.html")], [Format::Json, Format::Html]);
        assert_eq!([of("r.txt"), of("html")], [Format::Text, Format::Text]);
    }
}
