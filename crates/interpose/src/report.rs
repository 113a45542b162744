//! The report: gathered from all ranks and written at `MPI_Finalize`.

use std::sync::atomic::Ordering;

use commloom_layout::CostModel;
use commloom_mpi::Abi;
use commloom_report::{Format, Pictures, Replaced, Report, Row, brief};

use crate::callers;
use crate::config::ReportTo;
use crate::layouts::Known;
use crate::state::Preload;

impl<A: Abi> Preload<A> {
    /// The rows of this rank.
    fn rows(&self, format: Format) -> Vec<Row> {
        let known = self.layouts.all();
        let mut rows: Vec<Row> = known.iter().map(|known| row(known, format)).collect();
        let before = "(types that were not looked at, or not yet)".to_owned();
        let unseen = self.unseen().fill(Row { before, ..Row::default() });
        rows.extend([unseen].into_iter().filter(|row| row.calls > 0));
        rows
    }

    /// Gathers and writes the report, if one is wanted. Collective over `MPI_COMM_WORLD`.
    pub(crate) fn write_report(&self) {
        let Some(place) = &self.config().report else { return };
        let mpi = self.mpi();
        let world = mpi.handles.comm_world;
        let failures = self.failures.load(Ordering::Relaxed);
        let format = place.format();
        let mine =
            serde_json::to_vec(&(failures, self.rows(format), self.replaced())).unwrap_or_default();
        let Ok(blocks) = mpi.gather_bytes(&mine, 0, world) else { return };
        if blocks.is_empty() {
            return;
        }
        let library = mpi.library_version().unwrap_or_default();
        let mut report = Report::new(&library, &self.measured().source, blocks.len());
        for block in &blocks {
            let (n, rows, replaced): (u64, Vec<Row>, Vec<Replaced>) =
                serde_json::from_slice(block).unwrap_or_default();
            report.failures += n;
            report.merge_replaced(replaced);
            report.merge(rows);
        }
        callers::resolve(report.sites_mut());
        put(place, &report.write(format));
    }
}

/// What is known of a layout, and what became of its messages.
fn row<A: Abi>(known: &Known<A>, format: Format) -> Row {
    let model = CostModel::default();
    known.tally.fill(Row {
        before: brief(&known.before),
        after: brief(&known.after),
        cost_before: model.cost(&known.before),
        cost_after: model.cost(&known.after),
        handles: known.handles.load(Ordering::Relaxed),
        pictures: format.has_pictures().then(|| Pictures::of(&known.before, &known.after)),
        ..Row::default()
    })
}

fn put(place: &ReportTo, content: &str) {
    match place {
        ReportTo::Terminal => eprint!("{content}"),
        ReportTo::File(path) => {
            if let Err(error) = std::fs::write(path, content) {
                eprintln!("commloom: the report cannot be written to {}: {error}", path.display());
            }
        }
    }
}
