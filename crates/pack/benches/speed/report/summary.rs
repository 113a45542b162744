//! The answers to the questions of issue 4, as lines of Markdown.

use super::{Campaign, bytes};
use crate::analysis::{Ratio, counted_mean};
use crate::cell::Cell;
use crate::contender::Who;
use crate::layouts::SIZES;

/// From so many bytes in a run on, commloom should come near to memcpy.
const LONG_RUN: f64 = 256.0;
/// The speed to be reached there.
const NEAR: f64 = 0.9;
/// The most that packing of tiled A = 2 may cost, as a multiple of memcpy.
const TILED: f64 = 1.5;
/// Times of different descriptions that differ by more than this factor are worth telling.
const MATTERS: f64 = 1.2;

pub fn summary(campaign: &Campaign) -> Vec<String> {
    let mut lines = vec![verdicts(campaign)];
    lines.extend((0..campaign.libraries.len()).map(|number| library(campaign, number)));
    lines.extend(long_runs(campaign));
    lines.extend(tiled(campaign));
    lines.push(limits(campaign));
    lines.push(descriptions(campaign));
    let wrong: usize =
        campaign.cells.iter().map(|c| c.results.iter().filter(|o| o.wrong.is_some()).count()).sum();
    lines
        .push(format!("{wrong} times an MPI library packed wrong bytes or refused a description."));
    lines
}

fn verdicts(campaign: &Campaign) -> String {
    let rivals: Vec<Ratio> =
        campaign.cells.iter().filter_map(Cell::rival).map(|(_, r)| r).collect();
    let lost = rivals.iter().filter(|r| r.is_lost()).count();
    let (mean, cells) = counted_mean(rivals.iter().map(|r| r.median));
    let beyond = |wanted: fn(&Who) -> bool| {
        let best = campaign.cells.iter().filter_map(|c| c.best(wanted));
        let best: Vec<Ratio> = best.map(|(_, r)| r).collect();
        let lost = best.iter().filter(|r| r.is_lost()).count();
        format!("{lost} of {}", best.len())
    };
    format!(
        "Best peer (loop or library) over commloom: geometric mean {mean:.2}; commloom is slower \
         beyond noise in {lost} of {cells} cells ({} against loops, {} against libraries).",
        beyond(Who::is_hand),
        beyond(Who::is_mpi)
    )
}

fn library(campaign: &Campaign, number: usize) -> String {
    let all = campaign.cells.iter().flat_map(|c| c.by_description(number));
    let (all, descriptions) = counted_mean(all);
    let best = campaign.cells.iter().filter_map(|c| c.best(|who| *who == Who::Mpi(number)));
    let (best, cells) = counted_mean(best.map(|(_, r)| r.median));
    let middle = campaign.cells.iter().filter(|c| (3_200..=256_000).contains(&c.size));
    let (middle, some) = counted_mean(middle.flat_map(|c| c.by_description(number)));
    let middle =
        if some > 0 { format!(" ({middle:.2} from 3.2 to 256 kB)") } else { String::new() };
    format!(
        "{} over commloom: geometric mean {all:.2} over all {descriptions} descriptions{middle}, \
         {best:.2} over the best of each of {cells} cells.",
        campaign.libraries[number]
    )
}

fn long_runs(campaign: &Campaign) -> Option<String> {
    let long = campaign.cells.iter().filter(|c| c.run() >= LONG_RUN);
    let ratios: Vec<f64> =
        long.filter_map(|c| c.best(|who| *who == Who::Memcpy)).map(|(_, r)| r.median).collect();
    let below = ratios.iter().filter(|&&r| r < NEAR).count();
    let (mean, cells) = counted_mean(ratios);
    (cells > 0).then(|| {
        format!(
            "Runs of {LONG_RUN} bytes and more: {mean:.2} of the speed of memcpy (geometric \
             mean), below {NEAR} in {below} of {cells} cells."
        )
    })
}

fn tiled(campaign: &Campaign) -> Option<String> {
    let ratios: Vec<String> = SIZES
        .iter()
        .filter_map(|&size| {
            let mut cells = campaign.cells.iter().filter(|c| c.size == size && c.packing);
            let cell = cells.find(|c| campaign.layout(c).name == "tiled-1 A=2")?;
            let (_, ratio) = cell.best(|who| *who == Who::Memcpy)?;
            Some(format!("{:.2} at {}", 1.0 / ratio.median, bytes(size)))
        })
        .collect();
    let all = ratios.join(", ");
    let line = format!("Packing tiled-1 A=2 as a multiple of memcpy (goal {TILED}): {all}.");
    (!all.is_empty()).then_some(line)
}

fn limits(campaign: &Campaign) -> String {
    let by_size: Vec<String> = SIZES
        .iter()
        .filter_map(|&size| {
            let cells = campaign.cells.iter().filter(|c| c.size == size);
            let limits = cells.filter_map(|c| c.best(|who| *who == Who::Limit));
            let (mean, cells) = counted_mean(limits.map(|(_, r)| r.median));
            (cells > 0).then(|| format!("{mean:.2} at {}", bytes(size)))
        })
        .collect();
    format!(
        "Fraction of the limit (stream over the touched lines), geometric means: {}.",
        by_size.join(", ")
    )
}

fn descriptions(campaign: &Campaign) -> String {
    let spreads = campaign.cells.iter().filter(|c| c.spread() > MATTERS).count();
    let worst = campaign.cells.iter().max_by(|x, y| x.spread().total_cmp(&y.spread()));
    let worst = worst.map_or(String::new(), |cell| {
        let layout = campaign.layout(cell);
        let slow = cell.commloom().max_by(|x, y| x.middle().total_cmp(&y.middle()));
        let slow = slow.and_then(|o| o.description).unwrap_or_default();
        format!(
            ", most {:.2} ({} {}, {}, {slow})",
            cell.spread(),
            layout.family,
            layout.name,
            bytes(cell.size)
        )
    });
    format!(
        "commloom's own times for different descriptions differ by more than {MATTERS} in \
         {spreads} of {} cells{worst}.",
        campaign.cells.len()
    )
}
