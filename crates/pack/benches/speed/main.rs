//! commloom against everybody else who packs: see [`options::Options`] for what can be asked.

mod buffers;
mod cell;
mod contender;
mod hand;
mod layouts;
mod mpi;
mod options;
mod sampling;
mod table;
mod verify;

use std::cell::RefCell;

use clap::Parser;
use commloom_pack::detect;

use buffers::Region;
use cell::Bench;
use mpi::Peer;
use options::Options;
use sampling::Effort;

fn main() {
    let options = Options::parse();
    let done = match (&options.worker, options.memory) {
        (Some(library), Some(memory)) => mpi::worker::run(library, memory, options.misalign.into()),
        _ => run(&options),
    };
    if let Err(reason) = done {
        eprintln!("speed: {reason}");
        std::process::exit(1);
    }
}

fn run(options: &Options) -> Result<(), String> {
    let layouts: Vec<_> = layouts::table().into_iter().filter(|l| options.wants(l)).collect();
    if layouts.is_empty() {
        return Err("no layout has such a name".into());
    }
    let compilers = hand::compilers();
    let compiled = compilers.iter().map(|c| Ok((c.command, hand::Library::compile(c, &layouts)?)));
    let hands = compiled.collect::<Result<Vec<_>, String>>()?;
    if hands.is_empty() {
        return Err("no C compiler (gcc, clang): nothing to compare with".into());
    }
    let rounds = if options.quick { options.rounds.min(7) } else { options.rounds };
    let effort = Effort { rounds, sample: 30e3, budget: 100e6 };
    let mut region = Region::new(options.misalign.into())?;
    let peers = if options.no_mpi { Vec::new() } else { peers(options, &region) };
    let bench = Bench {
        layouts: &layouts,
        hands: &hands,
        target: detect(),
        effort,
        peers: RefCell::new(peers),
        seed: options.seed,
    };
    println!("{:?}", bench.target);
    table::header(&options.sizes());
    for (number, layout) in layouts.iter().enumerate() {
        let mut cells = Vec::new();
        for size in options.sizes() {
            if options.measures(layout, size)
                && let Ok(case) = layout.case(size, options.seed)
            {
                cells.extend(bench.cells(&mut region, number, &case, &options.directions())?);
            }
        }
        table::rows(layout, &options.sizes(), &cells);
    }
    Ok(())
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
