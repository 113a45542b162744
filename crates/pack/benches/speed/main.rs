//! commloom against everybody else who packs: see [`options::Options`] for what can be asked.

mod analysis;
mod buffers;
mod campaign;
mod cell;
mod contender;
mod creation;
mod environment;
mod hand;
mod layouts;
mod lock;
mod mpi;
mod number;
mod options;
mod report;
mod sampling;
mod verify;

use clap::Parser;

fn main() {
    let options = options::Options::parse();
    let done = match (&options.worker, options.memory) {
        (Some(library), Some(memory)) => mpi::worker::run(library, memory, options.misalign.into()),
        _ => campaign::run(&options),
    };
    if let Err(reason) = done {
        eprintln!("speed: {reason}");
        std::process::exit(1);
    }
}
