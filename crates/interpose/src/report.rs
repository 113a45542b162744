//! What happened, per type: counted while the program runs, gathered and written at `MPI_Finalize`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use commloom_layout::{CostModel, Kind, Type};
use commloom_mpi::Abi;
use serde::{Deserialize, Serialize};

use crate::config::Report;
use crate::state::{Preload, lock};

/// Counters of one type. They cost nothing but a branch where no report is wanted.
#[derive(Debug)]
pub(crate) struct Tally {
    enabled: bool,
    calls: AtomicU64,
    bytes: AtomicU64,
    engine: AtomicU64,
    substituted: AtomicU64,
    pub pack_ns: AtomicU64,
    pub unpack_ns: AtomicU64,
    native: Mutex<BTreeMap<String, u64>>,
}

impl Tally {
    /// Zero everywhere, and staying there unless `enabled`.
    pub fn new(enabled: bool) -> Tally {
        Tally {
            enabled,
            calls: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            engine: AtomicU64::new(0),
            substituted: AtomicU64::new(0),
            pack_ns: AtomicU64::new(0),
            unpack_ns: AtomicU64::new(0),
            native: Mutex::new(BTreeMap::new()),
        }
    }

    /// Whether anything is counted.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// A message of this many bytes that went through the engine.
    pub fn engine(&self, bytes: u64) {
        self.count(&self.engine, bytes);
    }

    /// A message of this many bytes that went with a substituted handle.
    pub fn substituted(&self, bytes: u64) {
        self.count(&self.substituted, bytes);
    }

    fn count(&self, way: &AtomicU64, bytes: u64) {
        if self.enabled {
            way.fetch_add(1, Ordering::Relaxed);
            self.call(bytes);
        }
    }

    /// A message that was left alone; its length is zero where it is not known.
    pub fn native(&self, reason: &str, bytes: u64) {
        if !self.enabled {
            return;
        }
        self.call(bytes);
        let mut native = lock(&self.native);
        match native.get_mut(reason) {
            Some(n) => *n += 1,
            None => {
                native.insert(reason.to_owned(), 1);
            }
        }
    }

    fn call(&self, bytes: u64) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// One line of the report: a type on one rank, or on all ranks together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The program's description.
    before: String,
    /// The normal form.
    after: String,
    cost_before: u64,
    cost_after: u64,
    /// Handles with this description, on all ranks.
    handles: u64,
    calls: u64,
    /// Packed bytes of all calls.
    bytes: u64,
    engine: u64,
    substituted: u64,
    pack_ns: u64,
    unpack_ns: u64,
    /// Messages that were left alone, by reason.
    native: BTreeMap<String, u64>,
}

impl Row {
    fn new(known: Option<(&Type, &Type)>, tally: &Tally) -> Row {
        let get = |n: &AtomicU64| n.load(Ordering::Relaxed);
        let model = CostModel::default();
        let (before, after) = known.map_or(
            ("(types that were not looked at, or not yet)".into(), String::new()),
            |(b, a)| (brief(b), brief(a)),
        );
        Row {
            before,
            after,
            cost_before: known.map_or(0, |k| model.cost(k.0)),
            cost_after: known.map_or(0, |k| model.cost(k.1)),
            handles: 0,
            calls: get(&tally.calls),
            bytes: get(&tally.bytes),
            engine: get(&tally.engine),
            substituted: get(&tally.substituted),
            pack_ns: get(&tally.pack_ns),
            unpack_ns: get(&tally.unpack_ns),
            native: lock(&tally.native).clone(),
        }
    }

    /// Adds the numbers of the same type elsewhere.
    fn absorb(&mut self, other: &Row) {
        self.handles += other.handles;
        self.calls += other.calls;
        self.bytes += other.bytes;
        self.engine += other.engine;
        self.substituted += other.substituted;
        self.pack_ns += other.pack_ns;
        self.unpack_ns += other.unpack_ns;
        for (reason, n) in &other.native {
            *self.native.entry(reason.clone()).or_default() += n;
        }
    }
}

/// Rows by description.
type Table = BTreeMap<(String, String), Row>;

fn merge(table: &mut Table, row: Row) {
    match table.get_mut(&(row.before.clone(), row.after.clone())) {
        Some(old) => old.absorb(&row),
        None => {
            table.insert((row.before.clone(), row.after.clone()), row);
        }
    }
}

/// The whole report.
#[derive(Debug, Serialize, Deserialize)]
struct Whole {
    library: String,
    /// What the choice of ways rests on.
    choice: String,
    ranks: usize,
    /// Contained failures of commloom itself.
    failures: u64,
    types: Vec<Row>,
}

impl<A: Abi> Preload<A> {
    /// The rows of this rank.
    fn rows(&self) -> Vec<Row> {
        let known = self.layouts.all();
        let mut rows: Vec<Row> = known
            .iter()
            .map(|k| Row {
                handles: k.handles.load(Ordering::Relaxed),
                ..Row::new(Some((&k.before, &k.after)), &k.tally)
            })
            .collect();
        rows.extend([Row::new(None, self.unseen())].into_iter().filter(|row| row.calls > 0));
        rows
    }

    /// Gathers and writes the report, if one is wanted. Collective over `MPI_COMM_WORLD`.
    pub(crate) fn write_report(&self) {
        let Some(place) = &self.config().report else { return };
        let mpi = self.mpi();
        let world = mpi.handles.comm_world;
        let failures = self.failures.load(Ordering::Relaxed);
        let mine = serde_json::to_vec(&(failures, self.rows())).unwrap_or_default();
        let Ok(blocks) = mpi.gather_bytes(&mine, 0, world) else { return };
        if blocks.is_empty() {
            return;
        }
        let mut table = Table::new();
        let mut failures = 0;
        for block in &blocks {
            let (n, rows): (u64, Vec<Row>) = serde_json::from_slice(block).unwrap_or_default();
            failures += n;
            rows.into_iter().for_each(|row| merge(&mut table, row));
        }
        let mut types: Vec<Row> = table.into_values().collect();
        types.sort_by_key(|row| std::cmp::Reverse(row.bytes));
        let library = mpi.library_version().unwrap_or_default();
        let library = library.lines().next().unwrap_or_default().trim().to_owned();
        let choice = self.measured().source.clone();
        write(place, &Whole { library, choice, ranks: blocks.len(), failures, types });
    }
}

fn write(place: &Report, whole: &Whole) {
    let Report::File(path) = place else {
        eprint!("{}", text(whole));
        return;
    };
    let json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    let content = if json {
        serde_json::to_string_pretty(whole).unwrap_or_default() + "\n"
    } else {
        text(whole)
    };
    if let Err(error) = std::fs::write(path, content) {
        eprintln!("commloom: the report cannot be written to {}: {error}", path.display());
    }
}

fn text(whole: &Whole) -> String {
    let mut out = format!(
        "commloom report: {} ranks, {}\nmessage times: {}\n{} derived types\n",
        whole.ranks,
        whole.library,
        whole.choice,
        whole.types.len()
    );
    let mut line = |text: String| out.write_str(&text).unwrap_or_default();
    for row in &whole.types {
        line(format!("\n{}\n", row.before));
        if !row.after.is_empty() {
            line(format!(
                "  normal form {} (cost {} -> {})\n",
                row.after, row.cost_before, row.cost_after
            ));
        }
        line(format!(
            "  {} handles, {} calls, {} bytes: {} packed by commloom ({} us packing, {} us \
             unpacking), {} with another handle\n",
            row.handles,
            row.calls,
            row.bytes,
            row.engine,
            row.pack_ns / 1000,
            row.unpack_ns / 1000,
            row.substituted
        ));
        for (reason, n) in &row.native {
            line(format!("  {n} left to the library: {reason}\n"));
        }
    }
    if whole.failures > 0 {
        line(format!("\n{} internal errors of commloom were contained\n", whole.failures));
    }
    out
}

/// List entries and children that a description shows.
const SHOWN: usize = 4;

/// The description of a type with long lists cut: a report has a line for it.
fn brief(ty: &Type) -> String {
    fn list<T: ToString>(entries: &[T]) -> String {
        let mut shown: Vec<String> = entries.iter().take(SHOWN).map(T::to_string).collect();
        if entries.len() > SHOWN {
            shown.push(format!("... {} in all", entries.len()));
        }
        format!("<{}>", shown.join(","))
    }
    match ty.kind() {
        Kind::Leaf(basic) => basic.name().to_owned(),
        Kind::Vec { count, stride, child } => format!("vec({count}, {stride}, {})", brief(child)),
        Kind::Idx { indices, child } => format!("idx({}, {})", list(indices), brief(child)),
        Kind::IdxBuc { stride, indices, blocks, child } => {
            format!("idxbuc({stride}, {}, {}, {})", list(indices), list(blocks), brief(child))
        }
        Kind::Strc { indices, children } => {
            let parts: Vec<String> = children.iter().take(SHOWN + 1).map(brief).collect();
            let mut parts = list(&parts);
            if children.len() > SHOWN + 1 {
                parts = parts.replace(
                    &format!("... {} in all", SHOWN + 1),
                    &format!("... {} in all", children.len()),
                );
            }
            format!("strc({}, {parts})", list(indices))
        }
        Kind::Resized { lb, extent, child } => {
            format!("resized({lb}, {extent}, {})", brief(child))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_layout::Basic;

    #[test]
    fn the_same_type_on_two_ranks_is_one_row() {
        let int = Type::leaf(Basic::INT);
        let ty = Type::vec(3, 8, int).unwrap();
        let tally = Tally::new(true);
        tally.engine(12);
        tally.native("contiguous", 4);
        let row = Row { handles: 1, ..Row::new(Some((&ty, &ty)), &tally) };
        let mut table = Table::new();
        merge(&mut table, row.clone());
        merge(&mut table, row);
        let all: Vec<Row> = table.into_values().collect();
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].handles, all[0].calls, all[0].bytes, all[0].engine), (2, 4, 32, 2));
        assert_eq!(all[0].native["contiguous"], 2);
        assert_eq!(all[0].before, "vec(3, 8, MPI_INT)");
    }

    #[test]
    fn long_lists_are_cut_and_say_how_long_they_are() {
        let ty = Type::idx((0..100).collect::<Vec<i64>>(), Type::leaf(Basic::BYTE)).unwrap();
        assert_eq!(brief(&ty), "idx(<0,1,2,3,... 100 in all>, MPI_BYTE)");
    }

    #[test]
    fn the_text_names_reasons_and_costs() {
        let row = Row {
            before: "B".into(),
            after: "A".into(),
            cost_before: 30,
            cost_after: 12,
            native: [("contiguous".to_owned(), 7)].into(),
            ..Row::default()
        };
        let (library, choice) = ("L".into(), "measured here".into());
        let whole = Whole { library, choice, ranks: 2, failures: 1, types: vec![row] };
        let text = text(&whole);
        for part in [
            "2 ranks, L",
            "measured here",
            "cost 30 -> 12",
            "7 left to the library: contiguous",
            "1 internal",
        ] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }
}
