//! The report: what was asked, the answers, every cell that is lost, and all tables.

use std::fmt::Write;

use super::tables::{details, families};
use super::{Campaign, bytes, time};
use crate::analysis::Ratio;
use crate::cell::{Cell, Outcome};
use crate::contender::Who;
use crate::layouts::{SIZES, Skip};

const METHOD: &str = "\
Written by `make bench-pack`; `pack-speed.json.zst` in the sources has every sample,
[pack-speed.svg](pack-speed.svg) shows all cells at once.

**How it is measured.** One process per MPI library, all in step with the benchmark, so that only
one runs at any time; in every round each contender is called in turn (one call to warm up, then
at least 30 us of calls). All use the same shared memory: bases on lines, the packed stream half a
page off the memory, so that no loads and stores meet modulo 4 kB. Ratios are taken inside rounds;
given are their median and, in brackets, their quartiles. A cell is *lost* where the upper
quartile of peer / commloom is below 1.0. Every contender's bytes are compared before it is timed:
the packed stream, what was unpacked, and the gaps. Calls are repeated on the same data, so sizes
that fit a cache are measured there.

**Peers.** Loops in C, once with all sizes as constants and once as arguments, for transposes also
in tiles; `MPI_Pack` and `MPI_Unpack` with several descriptions of the same layout (`count x unit`
is the one a program would write, unless there is a vector or list for it). commloom gets the plan
of the description as it is, not normalized, made before. *Limit*: a stream that reads and writes
as many whole lines of 64 bytes as the layout touches on both sides, adjacent, in the same round:
nothing that touches those lines can be expected to be faster; but lines are written whole there,
and layouts can have better luck with caches, so a little more than 1 is possible.
";

pub fn markdown(campaign: &Campaign) -> String {
    let mut text = format!("# Speed of packing\n\n{METHOD}\n## Results\n\n");
    for line in &campaign.summary {
        text.push_str(&format!("- {line}\n"));
    }
    text.push_str("\n## Families\n\n");
    text.push_str(&families(campaign));
    text.push_str("\n## Lost cells\n\n");
    text.push_str(&lost(campaign));
    text.push_str("\n## Below 0.9 of memcpy, runs of 256 bytes and more\n\n");
    text.push_str(&below_memcpy(campaign));
    for size in SIZES {
        text.push_str(&details(campaign, size));
    }
    text.push_str("\n## Not measured, wrong\n\n");
    text.push_str(&missing(campaign));
    text.push_str("\n## Environment\n\n");
    for (name, value) in &campaign.environment {
        text.push_str(&format!("- {name}: {value}\n"));
    }
    text
}

/// All cells in which somebody was faster, worst first.
fn lost(campaign: &Campaign) -> String {
    let mut lost: Vec<(&Cell, &Outcome, Ratio)> = campaign
        .cells
        .iter()
        .filter_map(|cell| cell.rival().map(|(outcome, ratio)| (cell, outcome, ratio)))
        .filter(|(_, _, ratio)| ratio.is_lost())
        .collect();
    lost.sort_by(|x, y| x.2.median.total_cmp(&y.2.median));
    let mut text = String::from(
        "| layout | size | | commloom | best peer / commloom | best peer | limit |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for (cell, outcome, ratio) in lost {
        let layout = campaign.layout(cell);
        let limit = cell.best(|who| *who == Who::Limit).map_or(f64::NAN, |(_, r)| r.median);
        writeln!(
            text,
            "| {} {} | {} | {} | {} | {:.2} ({:.2}-{:.2}) | {} | {limit:.2} |",
            layout.family,
            layout.name,
            bytes(cell.size),
            direction(cell),
            time(cell.ours().middle()),
            ratio.median,
            ratio.low,
            ratio.high,
            campaign.who(outcome)
        )
        .expect("strings do not fail");
    }
    text
}

fn below_memcpy(campaign: &Campaign) -> String {
    let mut text = String::new();
    for cell in campaign.cells.iter().filter(|c| c.run() >= 256.0) {
        let Some((_, ratio)) = cell.best(|who| *who == Who::Memcpy) else { continue };
        if ratio.median < 0.9 {
            let limit = cell.best(|who| *who == Who::Limit).map_or(f64::NAN, |(_, r)| r.median);
            writeln!(
                text,
                "- {} {}, {}, {}: {:.2} ({:.2}-{:.2}); {limit:.2} of the limit",
                campaign.layout(cell).family,
                campaign.layout(cell).name,
                bytes(cell.size),
                direction(cell),
                ratio.median,
                ratio.low,
                ratio.high
            )
            .expect("strings do not fail");
        }
    }
    if text.is_empty() { "None.\n".into() } else { text }
}

fn missing(campaign: &Campaign) -> String {
    let mut text = String::new();
    let skipped = |wanted| {
        let of = campaign.skipped.iter().filter(move |(_, _, skip)| *skip == wanted);
        let names = of.map(|&(layout, size, _)| {
            format!(
                "{} {} at {}",
                campaign.layouts[layout].family,
                campaign.layouts[layout].name,
                bytes(size)
            )
        });
        names.collect::<Vec<_>>().join("; ")
    };
    writeln!(text, "- More than 1 GiB of memory: {}.", skipped(Skip::TooMuchMemory))
        .expect("strings do not fail");
    writeln!(text, "- Fewer than two parts: {}.", skipped(Skip::TooFewParts))
        .expect("strings do not fail");
    for cell in campaign.cells {
        for outcome in cell.results.iter().filter(|o| o.wrong.is_some()) {
            writeln!(
                text,
                "- {} {}, {}, {}: {}: {}",
                campaign.layout(cell).family,
                campaign.layout(cell).name,
                bytes(cell.size),
                direction(cell),
                campaign.who(outcome),
                outcome.wrong.as_deref().unwrap_or_default()
            )
            .expect("strings do not fail");
        }
    }
    text
}

fn direction(cell: &Cell) -> &'static str {
    if cell.packing { "pack" } else { "unpack" }
}
