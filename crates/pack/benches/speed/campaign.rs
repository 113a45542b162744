//! A run from the command line to the report.

use std::cell::RefCell;

use commloom_pack::detect;
use indicatif::{ProgressBar, ProgressStyle};

use crate::buffers::Region;
use crate::cell::{Bench, Cell};
use crate::creation::creation;
use crate::environment::{environment, pin};
use crate::hand::{self, Library};
use crate::layouts::{Case, Layout, Skip, table};
use crate::lock::Lock;
use crate::mpi::{self, Peer};
use crate::options::Options;
use crate::report::{Campaign, summary, terminal};
use crate::sampling::Effort;

/// The measurements planned for a layout.
struct Planned {
    number: usize,
    cases: Vec<Case>,
}

/// Measures what the options ask for, prints it, and writes the files.
///
/// # Errors
/// Nothing to measure or to compare with, wrong bytes, a file that cannot be written.
pub fn run(options: &Options) -> Result<(), String> {
    if let Some(cpu) = options.cpu {
        pin(cpu)?;
    }
    let layouts: Vec<Layout> = table().into_iter().filter(|l| options.wants(l)).collect();
    let (planned, skipped) = plan(options, &layouts);
    if planned.is_empty() {
        return Err("no layout has such a name and size".into());
    }
    let compilers = hand::compilers();
    let compiled = compilers.iter().map(|c| Ok((c.command, Library::compile(c, &layouts)?)));
    let hands = compiled.collect::<Result<Vec<_>, String>>()?;
    if hands.is_empty() {
        return Err("no C compiler (gcc, clang): nothing to compare with".into());
    }
    let mut region = Region::new(options.misalign.into())?;
    let peers = if options.no_mpi { Vec::new() } else { peers(options, &region) };
    let libraries = peers.iter().map(Peer::name).collect();
    let environment = environment(options, &compilers, &peers);
    let bench = Bench {
        layouts: &layouts,
        hands: &hands,
        target: detect(),
        effort: effort(options),
        peers: RefCell::new(peers),
        seed: options.seed,
        normalize: options.normalize,
    };
    let cells = measure(options, &bench, &mut region, &planned)?;
    let creation = creation(&bench.target).map_err(|e| e.to_string())?;
    let mut campaign = Campaign {
        layouts: &layouts,
        cells: &cells,
        libraries,
        environment,
        skipped,
        summary: vec![],
    };
    campaign.summary = summary(&campaign);
    campaign.summary.push(creation);
    campaign.summary.iter().for_each(|line| println!("{line}"));
    write(options, &campaign)
}

fn effort(options: &Options) -> Effort {
    if options.quick {
        Effort { rounds: options.rounds.min(7), sample: 20e3, budget: 20e6 }
    } else {
        Effort { rounds: options.rounds, sample: 30e3, budget: 60e6 }
    }
}

fn plan(options: &Options, layouts: &[Layout]) -> (Vec<Planned>, Vec<(usize, i64, Skip)>) {
    let (mut planned, mut skipped) = (Vec::new(), Vec::new());
    for (number, layout) in layouts.iter().enumerate() {
        let mut cases = Vec::new();
        for size in options.sizes().into_iter().filter(|&size| options.measures(layout, size)) {
            match layout.case(size, options.seed) {
                Ok(case) => cases.push(case),
                Err(Skip::OtherSize) => {}
                Err(skip) => skipped.push((number, size, skip)),
            }
        }
        if !cases.is_empty() {
            planned.push(Planned { number, cases });
        }
    }
    (planned, skipped)
}

fn measure(
    options: &Options,
    bench: &Bench,
    region: &mut Region,
    planned: &[Planned],
) -> Result<Vec<Cell>, String> {
    let (sizes, directions) = (options.sizes(), options.directions());
    println!("{:?}", bench.target);
    terminal::header(&sizes);
    let total = planned.iter().map(|p| p.cases.len() as u64).sum();
    // Draws nothing where standard error is no terminal.
    let bar = ProgressBar::new(total);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} (left: {eta}) {msg}");
    bar.set_style(style.map_err(|e| e.to_string())?);
    let lock = options.lock.as_deref().map(Lock::new).transpose()?;
    let mut all = Vec::new();
    for Planned { number, cases } in planned {
        let layout = &bench.layouts[*number];
        let mut cells = Vec::new();
        for case in cases {
            bar.set_message(format!("{} {}", layout.family, layout.name));
            let _held = lock.as_ref().map(Lock::hold).transpose()?;
            cells.extend(bench.cells(region, *number, case, &directions)?);
            bar.inc(1);
        }
        bar.suspend(|| terminal::rows(layout, &sizes, &cells));
        all.extend(cells);
    }
    bar.finish_and_clear();
    Ok(all)
}

/// The MPI libraries of this machine that work; one of several copies of the same.
fn peers(options: &Options, region: &Region) -> Vec<Peer> {
    let mut peers: Vec<Peer> = Vec::new();
    for path in mpi::find(&options.mpi) {
        match Peer::new(&path, region.descriptor(), options.misalign) {
            Ok(peer) => {
                let known = peers.iter().any(|p| p.version == peer.version);
                if !known || options.mpi.contains(&path) {
                    println!("{}: {}", peer.name(), path.display());
                    peers.push(peer);
                }
            }
            Err(reason) => println!("not compared with {}: {reason}", path.display()),
        }
    }
    peers
}

fn write(options: &Options, campaign: &Campaign) -> Result<(), String> {
    if let Some(file) = &options.json {
        campaign.write_json(file)?;
    }
    if let Some(file) = &options.svg {
        campaign.write_svg(file)?;
    }
    if let Some(file) = &options.markdown {
        campaign.write_markdown(file)?;
    }
    Ok(())
}
