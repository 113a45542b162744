//! Writes the MSCCL algorithms of testkit, each for the least number of GPUs that it is built for,
//! into a folder.
//!
//! `cargo run -p commloom-commgraph --example msccl -- examples/detect`

use std::io;
use std::path::PathBuf;

use commloom_testkit::graphs::msccl::algorithms::ALGORITHMS;

fn main() -> io::Result<()> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    let Some(folder) = folder else {
        eprintln!("usage: msccl FOLDER");
        std::process::exit(2);
    };
    for algorithm in ALGORITHMS {
        let xml = algorithm.writer(algorithm.gpus[0]).xml();
        std::fs::write(folder.join(format!("{}.xml", algorithm.name)), xml)?;
    }
    Ok(())
}
