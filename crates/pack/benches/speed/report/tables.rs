//! Tables of cells: by family, and all of a size.

use std::fmt::Write;

use super::{Campaign, bytes, time};
use crate::analysis::counted_mean;
use crate::cell::Cell;
use crate::contender::Who;
use crate::layouts::SIZES;

/// Geometric means of best peer / commloom, and how many cells are lost, by family and size.
pub fn families(campaign: &Campaign) -> String {
    let mut names: Vec<&str> = campaign.layouts.iter().map(|l| l.family).collect();
    names.dedup();
    let mut text =
        String::from("Best peer / commloom, geometric mean (lost cells / cells).\n\n| | |");
    SIZES.iter().for_each(|&size| text.push_str(&format!(" {} |", bytes(size))));
    text.push_str("\n|---|---|");
    SIZES.iter().for_each(|_| text.push_str("---|"));
    text.push('\n');
    for family in names {
        for packing in [true, false] {
            write!(text, "| {family} | {} |", if packing { "pack" } else { "unpack" })
                .expect("strings do not fail");
            for size in SIZES {
                let cells = campaign.cells.iter().filter(|c| {
                    c.size == size && c.packing == packing && campaign.layout(c).family == family
                });
                let ratios: Vec<_> = cells.filter_map(Cell::rival).map(|(_, r)| r).collect();
                let lost = ratios.iter().filter(|r| r.is_lost()).count();
                let (mean, cells) = counted_mean(ratios.iter().map(|r| r.median));
                let entry =
                    if cells > 0 { format!("{mean:.2} ({lost}/{cells})") } else { String::new() };
                write!(text, " {entry} |").expect("strings do not fail");
            }
            text.push('\n');
        }
    }
    text
}

/// Every cell of a size, packing and unpacking side by side.
pub fn details(campaign: &Campaign, size: i64) -> String {
    let of_size: Vec<&Cell> = campaign.cells.iter().filter(|c| c.size == size).collect();
    if of_size.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n## {}\n\nTime of commloom, then how many times longer: constants, arguments (the C \
         loops), the best description of each library, best peer with quartiles (bold: lost), \
         memcpy; last the fraction of the limit.\n",
        bytes(size)
    );
    for packing in [true, false] {
        let title = if packing { "Pack" } else { "Unpack" };
        write!(text, "\n| {title} | bytes | commloom | constants | arguments |")
            .expect("strings do not fail");
        campaign.libraries.iter().for_each(|name| text.push_str(&format!(" {name} |")));
        text.push_str(" best peer | memcpy | limit |\n|---|---|---|---|---|");
        campaign.libraries.iter().for_each(|_| text.push_str("---|"));
        text.push_str("---|---|---|\n");
        for cell in of_size.iter().filter(|c| c.packing == packing) {
            text.push_str(&row(campaign, cell));
        }
    }
    text
}

fn row(campaign: &Campaign, cell: &Cell) -> String {
    let layout = campaign.layout(cell);
    let factor = |wanted: &dyn Fn(&Who) -> bool| {
        cell.best(wanted).map_or("-".into(), |(_, ratio)| format!("{:.2}", ratio.median))
    };
    let mut text = format!(
        "| {} {} | {} | {} | {} | {} |",
        layout.family,
        layout.name,
        cell.bytes,
        time(cell.ours().middle()),
        factor(&|who| matches!(who, Who::Hand { sizes, .. } if sizes.are_constants())),
        factor(&|who| matches!(who, Who::Hand { sizes, .. } if !sizes.are_constants())),
    );
    for number in 0..campaign.libraries.len() {
        let tried = cell.results.iter().any(|o| o.who == Who::Mpi(number));
        let entry = match factor(&|who| *who == Who::Mpi(number)) {
            dash if dash == "-" && tried => "wrong".into(),
            factor => factor,
        };
        write!(text, " {entry} |").expect("strings do not fail");
    }
    let rival = cell.rival().map_or("-".into(), |(_, r)| {
        let bold = if r.is_lost() { "**" } else { "" };
        format!("{bold}{:.2}{bold} ({:.2}-{:.2})", r.median, r.low, r.high)
    });
    let [memcpy, limit] = [Who::Memcpy, Who::Limit].map(|wanted| factor(&|who| *who == wanted));
    text.push_str(&format!(" {rival} | {memcpy} | {limit} |\n"));
    text
}
