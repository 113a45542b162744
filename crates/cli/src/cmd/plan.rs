//! `commloom plan`: how the pack engine moves a type, and why.

use std::io::Write;
use std::ops::Range;

use clap::ValueEnum;
use commloom_layout::Type;
use commloom_plan::{Piece, Plan, Shape, Target};

use crate::failure::Failure;
use crate::{explain, input};
use commloom_picture::counted;

/// Print how commloom packs a type: loops, kernels, reasons
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Number of copies of the type, one extent apart
    #[arg(long, value_name = "N", default_value_t = 1)]
    count: u64,
    /// The machine to plan for
    #[arg(long, value_enum, default_value = "detect")]
    target: Machine,
    /// Also print how the packed bytes from A up to but not including B are moved
    #[arg(long, value_name = "A..B", value_parser = range)]
    range: Option<Range<u64>>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// A type in text or JSON notation, a file that holds one, or `-`
    #[arg(value_name = "TYPE|FILE|-")]
    ty: String,
}

/// Machines by name. All but the first are the same everywhere, for scripts and comparisons.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Machine {
    /// this machine
    Detect,
    /// no wide vectors, small caches
    Portable,
    /// the same with AVX2
    Avx2,
    /// the same with AVX-512 and its byte permutations
    Avx512,
}

impl From<Machine> for Target {
    fn from(machine: Machine) -> Self {
        match machine {
            Machine::Detect => commloom_pack::detect(),
            Machine::Portable => Target::PORTABLE,
            Machine::Avx2 => Target { vector: 32, ..Target::PORTABLE },
            Machine::Avx512 => Target { vector: 64, byte_permute: true, ..Target::PORTABLE },
        }
    }
}

const EXAMPLES: &str = "\
The type is planned as it is given; `commloom exec` plans its normal form (see
`commloom normalize`). Each level says how often, where, and by which kernel
the levels below it are moved; the book explains the words (Plans). All numbers
are bytes, displacements are from the first byte of a level.

Examples:
  commloom plan --target portable --count 1000 \\
          'resized(0, 16, contiguous(2, MPI_INT))'
      plan: 8000 bytes in 1000 runs, from 0, in 0..15992
        loop 1000 stride 16: rows of 8
          block 8
      ...
  commloom plan --target avx512 'vector(1000, 1, 2, MPI_DOUBLE)'
  commloom plan --json --range 100..200 layout.txt";

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let ty = input::ty(&args.ty)?;
    let target = args.target.into();
    let plan = Plan::packed(&ty, args.count, &target)
        .map_err(|error| Failure::message(error.to_string()))?;
    if let Some(range) = &args.range
        && range.end > plan.bytes()
    {
        return Err(Failure::message(format!(
            "--range {}..{} is not inside the {} of the plan",
            range.start,
            range.end,
            counted(plan.bytes(), "byte", "bytes")
        )));
    }
    let mut out = std::io::stdout().lock();
    match args.json {
        true => json(args, &ty, &plan, &mut out),
        false => text(args, &plan, &mut out),
    }
}

fn text(args: &Args, plan: &Plan, out: &mut impl Write) -> Result<(), Failure> {
    let cost = plan.cost_estimate();
    write!(out, "{plan}")?;
    writeln!(out, "kernels:")?;
    for line in explain::reasons(plan.root(), plan.target()) {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "target: {}", plan.target())?;
    writeln!(
        out,
        "cost: {} in {} of {} on average",
        counted(cost.bytes, "byte", "bytes"),
        counted(cost.runs, "run", "runs"),
        counted(cost.average_run, "byte", "bytes")
    )?;
    let threads = match plan.names_bytes_once() {
        true => "no byte is named twice: may be unpacked by several threads",
        false => "a byte may be named twice: is unpacked by one thread",
    };
    writeln!(out, "memory: {threads}")?;
    if let Some(range) = &args.range {
        writeln!(
            out,
            "range {}..{}: {} in {}",
            range.start,
            range.end,
            counted(range.end.saturating_sub(range.start), "byte", "bytes"),
            counted(plan.run_count(range.clone()), "run", "runs")
        )?;
        for piece in pieces(plan, range) {
            match piece {
                Piece::Bytes { a, length } => {
                    writeln!(out, "  {} at {a}", counted(length, "byte", "bytes"))?;
                }
                Piece::Copies { node, a, copies } => {
                    let (first, last) = (copies.start, copies.end);
                    writeln!(out, "  copies {first}..{last} of {} at {a}", name(node.shape()))?;
                }
            }
        }
    }
    Ok(())
}

fn json(args: &Args, ty: &Type, plan: &Plan, out: &mut impl Write) -> Result<(), Failure> {
    let (cost, bounds) = (plan.cost_estimate(), plan.bounds());
    write!(
        out,
        "{{\"count\": {}, \"extent\": {}, \"bytes\": {}, \"runs\": {}, \"average_run\": {}, \
         \"start\": {}, \"low\": {}, \"high\": {}, \"distinct\": {}, \"target\": {}, \"plan\": {}",
        args.count,
        ty.extent(),
        cost.bytes,
        cost.runs,
        cost.average_run,
        plan.start(),
        bounds.start,
        bounds.end,
        plan.names_bytes_once(),
        explain::target(plan.target()),
        explain::node(plan.root())
    )?;
    if let Some(range) = &args.range {
        let pieces: Vec<String> = pieces(plan, range)
            .iter()
            .map(|piece| match piece {
                Piece::Bytes { a, length } => format!("{{\"at\": {a}, \"bytes\": {length}}}"),
                Piece::Copies { node, a, copies } => format!(
                    "{{\"at\": {a}, \"of\": \"{}\", \"first\": {}, \"copies\": {}}}",
                    name(node.shape()),
                    copies.start,
                    copies.end - copies.start
                ),
            })
            .collect();
        write!(
            out,
            ", \"range\": {{\"start\": {}, \"end\": {}, \"runs\": {}, \"pieces\": [{}]}}",
            range.start,
            range.end,
            plan.run_count(range.clone()),
            pieces.join(", ")
        )?;
    }
    Ok(writeln!(out, "}}")?)
}

fn pieces<'p>(plan: &'p Plan, range: &Range<u64>) -> Vec<Piece<'p>> {
    let mut pieces = Vec::new();
    plan.cut(range.clone(), |piece| pieces.push(piece));
    pieces
}

fn name(shape: &Shape) -> &'static str {
    match shape {
        Shape::Block => "block",
        Shape::Loop { .. } => "loop",
        Shape::List { .. } => "list",
        Shape::Buckets { .. } => "buckets",
        Shape::Runs { .. } => "runs",
        Shape::Seq(_) => "seq",
    }
}

fn range(text: &str) -> Result<Range<u64>, String> {
    let number = |text: &str| {
        text.parse().map_err(|_| format!("`{text}` is not a whole number from 0 to 2^64 - 1"))
    };
    let (start, end) =
        text.split_once("..").ok_or("expected two numbers with .. between, such as 0..100")?;
    let (start, end) = (number(start)?, number(end)?);
    match start <= end {
        true => Ok(start..end),
        false => Err(format!("the start {start} lies behind the end {end}")),
    }
}
