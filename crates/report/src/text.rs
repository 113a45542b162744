//! The report for a terminal.

use crate::exchange::Total;
use crate::{Report, Row};

/// Places that a row names.
const SITES: usize = 4;
/// Kinds of exchange that a row names.
const EXCHANGES: usize = 8;

pub fn text(report: &Report) -> String {
    let mut lines = vec![format!("commloom report: {} ranks, {}", report.ranks, report.library)];
    let exchanges = report.types.iter().flat_map(|row| &row.exchanges);
    lines.extend(Total::of(exchanges).headline());
    if !report.choice.is_empty() {
        lines.push(format!("what was tried first: {}", report.choice));
    }
    lines.push(format!("{} derived types", report.types.len()));
    report.types.iter().for_each(|row| lines.extend(type_lines(row)));
    if !report.replaced.is_empty() {
        lines.push("\ngroups of persistent requests".to_owned());
        lines.extend(report.replaced.iter().map(|group| format!("  {}", group.line())));
    }
    if !report.untouched.is_empty() {
        lines.push(format!("\nnever touched, and not counted: {}", report.untouched.join("; ")));
    }
    if report.failures > 0 {
        lines.push(format!("\n{} internal errors of commloom were contained", report.failures));
    }
    lines.join("\n") + "\n"
}

fn type_lines(row: &Row) -> Vec<String> {
    let mut lines = vec![format!("\n{}", row.before)];
    lines.extend(
        row.sites.iter().take(SITES).map(|s| format!("  committed by {s} ({} handles)", s.handles)),
    );
    if row.sites.len() > SITES {
        lines.push(format!("  and {} more places", row.sites.len() - SITES));
    }
    if !row.after.is_empty() {
        lines.push(format!(
            "  normal form {} (cost {} -> {})",
            row.after, row.cost_before, row.cost_after
        ));
    }
    lines.push(format!(
        "  {} handles, {} calls, {} bytes: {} packed by commloom ({} us packing, {} us \
         unpacking), {} with another handle",
        row.handles,
        row.calls,
        row.bytes,
        row.engine,
        row.pack_ns / 1000,
        row.unpack_ns / 1000,
        row.substituted
    ));
    lines.extend(row.exchanges.iter().take(EXCHANGES).map(|e| format!("  {}", e.line())));
    if row.exchanges.len() > EXCHANGES {
        lines.push(format!("  and {} more kinds of exchange", row.exchanges.len() - EXCHANGES));
    }
    lines.extend(row.native.iter().map(|(why, n)| format!("  {n} left to the library: {why}")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Exchange, Format, Site, Timing};

    #[test]
    fn names_cannot_command_the_terminal() {
        let site =
            Site { function: Some("f\x1b]0;owned\x07".into()), ..Site::new("/a\x1b[2J".into(), 1) };
        let row = Row { before: "B\u{9b}31m".into(), sites: vec![site], ..Row::default() };
        let mut report = Report::new("MPI\x1b[5m\u{202e}", "table\x7f", 1);
        report.merge([row]);
        let text = report.write(Format::Text);
        assert!(!text.contains(|c: char| commloom_guard::is_hidden(c) && c != '\n'), "{text:?}");
        assert!(text.contains("\\u{1b}]0;owned\\u{7}"), "{text}");
    }

    #[test]
    fn the_text_names_places_reasons_costs_and_times() {
        let site = Site {
            function: Some("exchange".into()),
            file: Some("halo.c".into()),
            line: Some(42),
            handles: 3,
            ..Site::new("/bin/app".into(), 1)
        };
        let row = Row {
            before: "B".into(),
            after: "A".into(),
            cost_before: 30,
            cost_after: 12,
            exchanges: vec![Exchange {
                begins_with: "receive".into(),
                strategy: "packed".into(),
                bytes: 4096,
                exchanges: 1000,
                chosen: 900,
                native: Some(Timing { low: 4900, median: 5000, high: 5200 }),
                measured: Some(Timing { low: 2900, median: 3000, high: 3100 }),
                ..Exchange::default()
            }],
            native: [("contiguous".to_owned(), 7)].into(),
            sites: vec![site; 6],
            ..Row::default()
        };
        let report = Report { failures: 1, types: vec![row], ..Report::new("L", "measured", 2) };
        let text = text(&report);
        for part in [
            "2 ranks, L",
            "what was tried first: measured",
            "36.0 % shorter: 3.20 ms of 5.00 ms",
            "committed by exchange at halo.c:42 (3 handles)",
            "and 2 more places",
            "cost 30 -> 12",
            "1,000 exchanges that begin with a receive of 4.09 kB: packed in 900 of them, \
             measured 3.00 us (2.90 us to 3.10 us), native 5.00 us",
            "7 left to the library: contiguous",
            "MPI_Pack_external",
            "1 internal",
        ] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }
}
