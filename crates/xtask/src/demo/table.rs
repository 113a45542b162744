//! The table of the demo, for a terminal and as Markdown.
//!
//! Colours are written always; `anstream` takes them out where there is no terminal or `NO_COLOR`
//! is set.

use super::record::{Launch, Record};
use super::summary::{Row, Spread};
use anstyle::{AnsiColor, Style};
use commloom_measure::statistics::geometric_mean;
use std::fmt::Write;

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const HEAD: Style = Style::new().bold();
const PLAIN: Style = Style::new();

const COLUMNS: [&str; 12] = [
    "example",
    "layout",
    "description",
    "bytes",
    "MPI library",
    "native us",
    "commloom us",
    "ratio",
    "interval",
    "bytes equal",
    "by hand us",
    "by hand ratio",
];
/// Those that are shown where nothing is packed by hand.
const WITHOUT_BY_HAND: usize = 10;
/// The first columns are text; the ones from here on are numbers, aligned at the right.
const LEFT: [usize; 4] = [0, 1, 2, 4];

type Line = [(String, Style); COLUMNS.len()];

fn line(row: &Row) -> Line {
    let time = |spread: &Option<Spread>| spread.map_or("-".to_owned(), |s| microseconds(s.median));
    let ratio = |ratio: Option<f64>| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
    let interval = |[low, high]: [f64; 2]| format!("{low:.2} to {high:.2}");
    let plain = |text: String| (text, PLAIN);
    [
        plain(row.cell.example.clone()),
        plain(row.cell.layout.clone()),
        plain(row.cell.description.clone()),
        plain(row.cell.bytes.to_string()),
        plain(row.library.clone()),
        plain(time(&row.native_us)),
        plain(time(&row.commloom_us)),
        (ratio(row.ratio), colour(row)),
        plain(row.interval.map_or("-".to_owned(), interval)),
        if row.bytes_equal { plain("yes".to_owned()) } else { ("NO".to_owned(), BAD) },
        plain(time(&row.by_hand_us)),
        plain(ratio(row.by_hand_ratio)),
    ]
}

/// How many columns are shown.
fn columns(record: &Record) -> usize {
    let by_hand = record.rows.iter().any(|row| row.by_hand_us.is_some());
    if by_hand { COLUMNS.len() } else { WITHOUT_BY_HAND }
}

fn colour(row: &Row) -> Style {
    match (row.is_faster(), row.is_slower()) {
        (true, _) => GOOD,
        (_, true) => BAD,
        _ => PLAIN,
    }
}

/// Three digits that count, and never less than hundredths.
fn microseconds(time: f64) -> String {
    if time < 100.0 { format!("{time:.2}") } else { format!("{time:.0}") }
}

/// The table for people, with what it means below.
#[must_use]
pub fn terminal(record: &Record) -> String {
    let lines: Vec<Line> = record.rows.iter().map(line).collect();
    let width = |column: usize| {
        let longest = lines.iter().map(|l| l[column].0.len()).max().unwrap_or(0);
        longest.max(COLUMNS[column].len())
    };
    let widths: [usize; COLUMNS.len()] = std::array::from_fn(width);
    let heads = COLUMNS.map(|head| (head.to_owned(), HEAD));
    let mut text = String::new();
    for cells in std::iter::once(&heads).chain(&lines) {
        for (column, (cell, style)) in cells.iter().enumerate().take(columns(record)) {
            let padding = " ".repeat(widths[column] - cell.len());
            let styled = format!("{style}{cell}{style:#}");
            let separator = if column == 0 { "" } else { "  " };
            if LEFT.contains(&column) {
                text.push_str(&format!("{separator}{styled}{padding}"));
            } else {
                text.push_str(&format!("{separator}{padding}{styled}"));
            }
        }
        text.push('\n');
    }
    let _ = writeln!(text, "\n{}", explanation(record));
    for group in groups(record) {
        let _ = writeln!(text, "{group}");
    }
    text
}

/// The same in Markdown.
#[must_use]
pub fn markdown(record: &Record) -> String {
    let mut text = explanation(record);
    text.push_str("\n\n");
    for group in groups(record) {
        let _ = writeln!(text, "- {group}");
    }
    let shown = columns(record);
    let rule: Vec<_> = (0..shown).map(|c| if LEFT.contains(&c) { "---" } else { "---:" }).collect();
    let _ = write!(text, "\n| {} |\n|{}|\n", COLUMNS[..shown].join(" | "), rule.join("|"));
    for row in &record.rows {
        let cells = line(row).map(
            |(cell, style)| {
                if style == PLAIN { cell } else { format!("**{cell}**") }
            },
        );
        let _ = writeln!(text, "| {} |", cells[..shown].join(" | "));
    }
    text
}

/// Where the numbers come from and what they mean.
fn explanation(record: &Record) -> String {
    let e = &record.environment;
    let libraries: Vec<_> = e
        .libraries
        .iter()
        .map(|l| {
            format!("{}{}", l.version, if l.bound { "" } else { " (ranks not bound to cores)" })
        })
        .collect();
    let by_hand = if columns(record) > WITHOUT_BY_HAND {
        " By hand: the same packed by hand, natively; its ratio is by hand / commloom of the same \
         launch."
    } else {
        ""
    };
    let speed = if record.quick { " --quick: the times mean nothing." } else { "" };
    let what = if record.baseline {
        format!("Medians over {} launches of the median of each", record.runs)
    } else {
        format!(
            "Native and commloom by turns in each of {} launches, in blocks of a few exchanges: \
             medians of all blocks; ratio = native / commloom of blocks side by side in time, \
             above 1 is faster, with its interval",
            record.runs
        )
    };
    format!(
        "{}, {} cpus, {}, {}, {}; 2 ranks. {what}.{by_hand}{speed}",
        e.cpu,
        e.cpus,
        e.kernel,
        libraries.join(", "),
        e.date,
    )
}

/// One sentence for each library and what is measured: how often faster, how often slower, how
/// much.
fn groups(record: &Record) -> Vec<String> {
    let mut groups: Vec<((String, &str), Vec<&Row>)> = Vec::new();
    for row in &record.rows {
        let name = (row.cell.subject(), row.library.as_str());
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((name, vec![row])),
        }
    }
    let describe = |((subject, library), rows): ((String, &str), Vec<&Row>)| {
        let ratios: Vec<f64> = rows.iter().filter_map(|row| row.ratio).collect();
        let by_hand: Vec<f64> = rows.iter().filter_map(|row| row.by_hand_ratio).collect();
        let count = |test: fn(&Row) -> bool| rows.iter().filter(|row| test(row)).count();
        Some(format!(
            "{subject}, {library}: {} cells, {} faster, {} slower by more than 3 %; ratio {}{}",
            ratios.len(),
            count(Row::is_faster),
            count(Row::is_slower),
            range(&ratios)?,
            range(&by_hand).map_or(String::new(), |range| format!("; by hand ratio {range}")),
        ))
    };
    groups.into_iter().filter_map(describe).collect()
}

/// The least and the greatest of some ratios, and their mean.
fn range(ratios: &[f64]) -> Option<String> {
    let mean = geometric_mean(ratios.iter().copied())?;
    let low = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ratios.iter().copied().fold(0.0, f64::max);
    Some(format!("{low:.2} to {high:.2}, geometric mean {mean:.2}"))
}

/// The last line.
#[must_use]
pub fn verdict(record: &Record, success: bool) -> String {
    if success {
        let what = if record.baseline { "runs" } else { "runs, natively and with commloom" };
        return format!(
            "{GOOD}all {} cells: same bytes in all {what}{GOOD:#}\n",
            record.rows.len()
        );
    }
    let mut text = String::new();
    for row in record.rows.iter().filter(|row| !row.bytes_equal) {
        let _ = writeln!(text, "{BAD}different or missing{BAD:#}: {} ({})", row.cell, row.library);
    }
    let failed = record.launches.iter().filter(|l| l.failure.is_some()).count();
    let _ = writeln!(text, "{BAD}FAILED{BAD:#}: {failed} launches failed");
    text
}

/// A launch that failed, as soon as it did.
#[must_use]
pub fn failure(launch: &Launch, reason: &str) -> String {
    let Launch { run, example, library, mode, .. } = launch;
    format!("{BAD}{example} ({library}, {mode}) failed in run {}{BAD:#}: {reason}", run + 1)
}

#[cfg(test)]
mod tests {
    use super::super::environment::{Environment, Version};
    use super::super::protocol::Cell;
    use super::*;

    fn record() -> Record {
        let spread = |median| Some(Spread { samples: 3, median, interquartile_range: 0.5 });
        let row = |layout: &str, native, commloom: f64, bytes_equal| Row {
            cell: Cell {
                example: "pingpong".into(),
                layout: layout.into(),
                description: "vector".into(),
                bytes: 2_560_000,
            },
            library: "mpich".into(),
            native_us: spread(native),
            commloom_us: spread(commloom),
            ratio: Some(native / commloom),
            interval: Some([native / commloom - 0.01, native / commloom + 0.01]),
            by_hand_us: None,
            by_hand_ratio: None,
            bytes_equal,
        };
        Record {
            format: super::super::record::FORMAT.into(),
            complete: true,
            environment: Environment {
                cpu: "a CPU".into(),
                cpus: 2,
                kernel: "Linux 6".into(),
                date: "2026-01-01T00:00:00Z".into(),
                load: "0.0".into(),
                libraries: vec![Version {
                    name: "mpich".into(),
                    version: "MPICH 4.0.2".into(),
                    bound: true,
                }],
            },
            runs: 3,
            quick: false,
            baseline: false,
            only: None,
            launches: Vec::new(),
            rows: vec![row("tiled-A2-B4", 6000.0, 1500.0, true), row("block", 9.0, 10.0, false)],
        }
    }

    fn without_colour(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn columns_of_the_terminal_table_line_up() {
        let text = without_colour(&terminal(&record()));
        let expected = "\
example   layout       description    bytes  MPI library  native us  commloom us  ratio      \
interval  bytes equal
pingpong  tiled-A2-B4  vector       2560000  mpich             6000         1500   4.00  \
3.99 to 4.01          yes
pingpong  block        vector       2560000  mpich             9.00        10.00   0.90  \
0.89 to 0.91           NO
";
        assert!(text.starts_with(expected), "{text}");
        let group = "pingpong, mpich: 2 cells, 1 faster, 1 slower by more than 3 %; \
                     ratio 0.90 to 4.00, geometric mean 1.90";
        assert!(text.contains(group), "{text}");
    }

    #[test]
    fn what_is_packed_by_hand_has_columns_and_a_mean_of_its_own_where_there_is_something() {
        let mut record = record();
        let markdown_before = markdown(&record);
        assert!(!markdown_before.contains("by hand"), "{markdown_before}");
        let mut packed = record.rows[0].clone();
        packed.cell.description = "by-hand".into();
        record.rows[0].by_hand_us = packed.native_us;
        record.rows[0].by_hand_ratio = Some(2.0);
        record.rows.push(packed);
        let text = without_colour(&terminal(&record));
        let row = "1500   4.00  3.99 to 4.01          yes        6000           2.00\n";
        let group = "geometric mean 1.90; by hand ratio 2.00 to 2.00, geometric mean 2.00\n";
        for expected in ["bytes equal  by hand us  by hand ratio\n", row, group] {
            assert!(text.contains(expected), "{expected} in\n{text}");
        }
        assert!(text.contains("pingpong, packed by hand, mpich: 1 cells"), "{text}");
        assert!(
            markdown(&record).contains("| **4.00** | 3.99 to 4.01 | yes | 6000 | 2.00 |"),
            "{text}"
        );
    }

    #[test]
    fn ratios_are_green_and_red_where_the_whole_interval_is_beyond_3_percent() {
        let with = |interval| Row { interval, ..record().rows[0].clone() };
        assert_eq!(colour(&with(Some([1.04, 1.2]))), GOOD);
        assert_eq!(colour(&with(Some([0.8, 0.96]))), BAD);
        for unclear in [Some([1.02, 1.2]), Some([0.8, 0.98]), Some([0.8, 1.2]), None] {
            assert_eq!(colour(&with(unclear)), PLAIN);
        }
    }

    #[test]
    fn markdown_has_a_cell_for_every_column_and_the_machine() {
        let text = markdown(&record());
        let rows: Vec<_> = text.lines().filter(|l| l.starts_with('|')).collect();
        assert_eq!(rows.len(), 4);
        for row in &rows {
            assert_eq!(row.matches('|').count(), WITHOUT_BY_HAND + 1, "{row}");
        }
        assert!(rows[2].ends_with("| **4.00** | 3.99 to 4.01 | yes |"), "{}", rows[2]);
        assert!(
            text.contains("a CPU, 2 cpus, Linux 6, MPICH 4.0.2, 2026-01-01T00:00:00Z"),
            "{text}"
        );
    }

    #[test]
    fn the_verdict_names_every_cell_that_differs() {
        let text = without_colour(&verdict(&record(), false));
        assert!(
            text.contains("different or missing: pingpong block vector 2560000 (mpich)"),
            "{text}"
        );
        assert!(!text.contains("tiled"), "{text}");
    }
}
