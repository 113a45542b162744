//! The report: gathered from all ranks and written at `MPI_Finalize`. Programs that have only
//! sessions never have all of their processes in one call: there each process writes a report of
//! its own when it ends.

use std::sync::atomic::Ordering;

use commloom_guard::{Ownership, one_line, write};
use commloom_mpi::Abi;
use commloom_report::{Format, Replaced, Report, Row};

use crate::accelerate::history;
use crate::preload::state::Preload;
use crate::runtime::at_exit::{self, Ends};
use crate::runtime::callers;
use crate::runtime::config::ReportTo;
use crate::runtime::say;
use crate::runtime::signals::without_signals;

impl<A: Abi> Preload<A> {
    /// The rows of this rank.
    fn rows(&self, format: Format) -> Vec<Row> {
        let mut rows = self.layouts.rows(format);
        let before = "(types that were not looked at, or not yet)".to_owned();
        let unseen = self.unseen().fill(Row { before, ..Row::default() });
        rows.extend([unseen].into_iter().filter(|row| row.calls > 0));
        rows
    }

    /// Gathers and writes the report, if one is wanted. Collective over `MPI_COMM_WORLD`.
    pub(crate) fn write_report(&self) {
        let Some(to) = &self.config().report else { return };
        let mpi = self.mpi();
        let world = mpi.handles.comm_world;
        let failures = self.failures.load(Ordering::Relaxed);
        let format = to.format();
        let rows = self.rows(format);
        let _ = self.reported.set(messages(&rows));
        let mine =
            serde_json::to_vec(&(failures, rows, self.replacement.rows())).unwrap_or_default();
        let Ok(blocks) = mpi.gather_bytes(&mine, 0, world) else { return };
        if blocks.is_empty() {
            return;
        }
        let library = mpi.library_version().unwrap_or_default();
        let earlier = history::file().map(|file| format!("{}, then ", file.display()));
        let source = earlier.unwrap_or_default() + &self.measured().source;
        let mut report = Report::new(&library, &source, blocks.len());
        for block in &blocks {
            let (n, rows, replaced): (u64, Vec<Row>, Vec<Replaced>) =
                serde_json::from_slice(block).unwrap_or_default();
            report.failures += n;
            report.merge_replaced(replaced);
            report.merge(rows);
        }
        callers::resolve(report.sites_mut());
        put(to, &report.write(format));
    }
}

impl<A: Abi> Preload<A> {
    /// There is a session: the process may have messages that no report for all ranks counts.
    pub(crate) fn reports_at_exit(&'static self) {
        if self.config().report.is_some() && self.recorder().is_none() {
            self.own_report.call_once(|| {
                // Now, while the library lives.
                self.measured();
                let version = self.mpi().library_version().unwrap_or_default();
                let _ = self.version.set(version);
                at_exit::add(self);
            });
        }
    }
}

impl<A: Abi> Ends for Preload<A> {
    fn end(&self) {
        let (Some(place), Some(version)) = (&self.config().report, self.version.get()) else {
            return;
        };
        let format = place.format();
        let rows = self.rows(format);
        if self.reported.get().is_some_and(|reported| messages(&rows) <= *reported) {
            return;
        }
        let mut report = Report::new(version, &self.measured().source, 1);
        report.failures = self.failures.load(Ordering::Relaxed);
        report.merge(rows);
        callers::resolve(report.sites_mut());
        put(&place.of_one_process(&process()), &report.write(format));
    }
}

/// Messages that were counted.
fn messages(rows: &[Row]) -> u64 {
    rows.iter().map(|row| row.calls).sum()
}

/// A name for this process that no other one has: `node7-4711`.
fn process() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || "-_".contains(*c);
    let host: String = host.trim().chars().filter(is_plain).collect();
    format!("{host}-{}", std::process::id())
}

fn put(to: &ReportTo, content: &str) {
    match to {
        ReportTo::Terminal => say::text(content),
        ReportTo::File(path) => {
            let written = without_signals(|| write(path, content.as_bytes(), Ownership::Mine));
            if let Err(error) = written {
                let place = path.display().to_string();
                let place = one_line(&place);
                say::text(&format!("commloom: the report cannot be written to {place}: {error}\n"));
            }
        }
    }
}
