//! `commloom detect`: which collective operations the messages of a program are.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use commloom_commgraph::read::goal::{self, Goal};
use commloom_commgraph::{
    Analysis, Blocks, Collective, Detection, Group, Kind, Options, Synchronization, analyse,
    synchronization,
};

use crate::failure::Failure;
use crate::input;

/// Find the collective operations that sends and receives add up to
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Which part of the blocks of a scatterv, gatherv or alltoallv must be there, from 0 to 1; the others
    /// get a count of zero
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = share)]
    tau: f64,
    /// Print one JSON object for each file
    #[arg(long)]
    json: bool,
    /// Communication graphs in GOAL
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
GOAL has no addresses; comments add them: `//@ LABEL addr=0x40` to an operation of the same rank, and \
`//@ dead addr=0x40 size=8` where nobody reads that memory afterwards. Without addresses only matching, deadlocks \
and wait sets are known.

Examples:
  commloom detect broadcast.goal
      8 processes, 14 operations, 7 messages, 7 transfers
      MPI_Bcast, root 0, 1024 bytes
      left: nothing
  commloom detect --tau 0.8 --json stencil.goal";

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    for path in &args.files {
        let goal = read(path)?;
        let found = Found::of(&goal, Options { density: args.tau, ..Options::default() })
            .map_err(|e| Failure::message(format!("{}: {e}", path.display())))?;
        if args.json {
            writeln!(out, "{}", json(&goal, &found))?;
        } else {
            if args.files.len() > 1 {
                writeln!(out, "{}:", path.display())?;
            }
            write!(out, "{}", text(&goal, &found))?;
        }
    }
    Ok(())
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|x| (0.0..=1.0).contains(x));
    share.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

fn read(path: &Path) -> Result<Goal, Failure> {
    let input::Source { name, text } = input::file(path)?;
    goal::read(&text).map_err(|error| Failure::Parse { name, error })
}

enum Found {
    All(Analysis),
    Waiting(Synchronization),
}

impl Found {
    fn of(goal: &Goal, options: Options) -> Result<Found, commloom_commgraph::GraphError> {
        match goal.addressed {
            true => analyse(&goal.graph, options).map(Found::All),
            false => synchronization(&goal.graph).map(Found::Waiting),
        }
    }

    fn matches(&self) -> (usize, bool) {
        match self {
            Found::All(a) => (a.matches, a.wait_sets_complete),
            Found::Waiting(s) => (s.matches, s.wait_sets_complete),
        }
    }

    fn collectives(&self) -> &[Collective] {
        match self {
            Found::All(a) => &a.detection.collectives,
            Found::Waiting(s) => s.barrier.as_slice(),
        }
    }
}

fn left(detection: &Detection) -> usize {
    detection.left.len() + detection.left_reduced.len()
}

fn text(goal: &Goal, found: &Found) -> String {
    let (matches, complete) = found.matches();
    let (processes, operations) = (goal.graph.processes(), goal.graph.operations());
    let mut out = format!("{processes} processes, {operations} operations, {matches} messages");
    if let Found::All(a) = found {
        let _ = write!(out, ", {} transfers", a.transfers);
    }
    out.push_str(if complete { "; every process waits for every other\n" } else { "\n" });
    for c in found.collectives() {
        let _ = writeln!(out, "{}", call(c));
    }
    match found {
        Found::Waiting(_) => out.push_str(
            "no addresses (`//@ LABEL addr=N`): only matching, deadlocks and wait sets were looked at\n",
        ),
        Found::All(a) if left(&a.detection) == 0 => out.push_str("left: nothing\n"),
        Found::All(a) => {
            let _ = writeln!(out, "left: {} transfers", left(&a.detection));
            for t in a.detection.left.iter().take(10) {
                let _ = writeln!(
                    out,
                    "  {} bytes from {} at {:#x} to {} at {:#x}",
                    t.length, t.source, t.source_address, t.destination, t.destination_address
                );
            }
        }
    }
    out
}

/// A collective as an MPI call in words.
fn call(c: &Collective) -> String {
    let name = c.kind.name();
    let mut call = format!("MPI_{}{}", name[..1].to_uppercase(), &name[1..]);
    if let Some(root) = c.root {
        let _ = write!(call, ", root {root}");
    }
    if let Some(members) = c.group.members() {
        let _ = write!(call, ", processes {}", list(members));
    }
    if let Blocks::Neighbors { grid, .. } = &c.blocks {
        let dims: Vec<String> = grid.dims.iter().map(ToString::to_string).collect();
        let _ = write!(call, ", grid {}", dims.join(" x "));
    }
    let vector = matches!(
        c.kind,
        Kind::Scatterv
            | Kind::Gatherv
            | Kind::Allgatherv
            | Kind::Alltoallv
            | Kind::ReduceScatter
            | Kind::NeighborAlltoallv
            | Kind::NeighborAlltoallw
    );
    match c.kind {
        Kind::Barrier => {}
        _ if vector => {
            let _ = write!(call, ", up to {} bytes a block", c.length);
        }
        _ if c.pieces.count > 1 => {
            let _ = write!(call, ", {} pieces of {} bytes", c.pieces.count, c.length);
        }
        _ => {
            let _ = write!(call, ", {} bytes", c.length);
        }
    }
    let has_own = matches!(
        c.kind,
        Kind::Scatter | Kind::Gather | Kind::Allgather | Kind::Allgatherv | Kind::Alltoall
    );
    if has_own && !c.own {
        call.push_str(", in place");
    }
    call
}

/// `count` pieces of `bytes_each` bytes make a block. `members` is there where not all processes take part, the
/// grid where neighbours exchange.
fn json(goal: &Goal, found: &Found) -> String {
    let (matches, complete) = found.matches();
    let (transfers, left) = match found {
        Found::All(a) => (a.transfers.to_string(), left(&a.detection).to_string()),
        Found::Waiting(_) => ("null".to_owned(), "null".to_owned()),
    };
    let collectives: Vec<String> = found
        .collectives()
        .iter()
        .map(|c| {
            let root = c.root.map_or("null".to_owned(), |root| root.to_string());
            format!(
                "{{\"kind\": \"{}\", \"root\": {root}, \"processes\": {}, {}\"count\": {}, \"bytes_each\": {}, \
                 \"in_place\": {}{}}}",
                c.kind.name(),
                c.group.size(),
                members(&c.group),
                c.pieces.count,
                c.length,
                !c.own,
                grid(&c.blocks),
            )
        })
        .collect();
    format!(
        "{{\"processes\": {}, \"operations\": {}, \"matches\": {matches}, \"transfers\": {transfers}, \
         \"wait_sets_complete\": {complete}, \"collectives\": [{}], \"left\": {left}}}",
        goal.graph.processes(),
        goal.graph.operations(),
        collectives.join(", ")
    )
}

fn members(group: &Group) -> String {
    group.members().map_or(String::new(), |members| format!("\"members\": [{}], ", list(members)))
}

fn grid(blocks: &Blocks) -> String {
    let Blocks::Neighbors { grid, neighbors } = blocks else { return String::new() };
    let offsets: Vec<String> = neighbors.iter().map(|n| format!("[{}]", list(&n.offset))).collect();
    format!(
        ", \"dims\": [{}], \"periods\": [{}], \"neighbors\": [{}]",
        list(&grid.dims),
        list(&grid.periodic),
        offsets.join(", ")
    )
}

fn list(values: &[impl ToString]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
