//! A cell: one layout, size and direction, everybody in it measured side by side.

use std::cell::RefCell;

use commloom_layout::CostModel;
use commloom_measure::statistics::median;
use commloom_pack::Plan;
use commloom_plan::Target;
use commloom_reconstruct::{Constructors, normalize_many};

use crate::buffers::Region;
use crate::contender::{self, Contender, Who};
use crate::hand::{self, Library, Sizes};
use crate::layouts::{Case, Description, Layout, descriptions, length};
use crate::mpi::Peer;
use crate::sampling::{Effort, rounds};
use crate::verify::Oracle;

/// The results of a cell.
pub struct Cell {
    /// Number in the table of layouts.
    pub layout: usize,
    pub size: i64,
    pub packing: bool,
    pub bytes: usize,
    /// Bytes of memory from the first to the last.
    pub footprint: usize,
    /// Lines of 64 bytes that are touched in memory.
    pub lines: i64,
    /// Adjacent runs.
    pub runs: u64,
    pub results: Vec<Outcome>,
}

/// The results of one contender.
pub struct Outcome {
    pub who: Who,
    pub description: Option<&'static str>,
    /// Nanoseconds of a call, round by round.
    pub samples: Vec<f64>,
    /// The error, where there was one: then there are no samples.
    pub wrong: Option<String>,
}

impl Outcome {
    pub fn middle(&self) -> f64 {
        median(self.samples.iter().copied()).unwrap_or(f64::NAN)
    }
}

/// The state that all cells share.
pub struct Bench<'a> {
    pub layouts: &'a [Layout],
    /// Compilers and what they made of the loops.
    pub hands: &'a [(&'static str, Library)],
    pub target: Target,
    pub effort: Effort,
    pub peers: RefCell<Vec<Peer>>,
    /// Where lists get their places from.
    pub seed: u64,
    /// Whether commloom normalizes the descriptions before it plans.
    pub normalize: bool,
}

/// A case as everybody gets it.
struct Given<'a> {
    number: usize,
    case: &'a Case,
    /// Arguments of the C loops.
    sizes: Vec<i64>,
    described: Vec<Description>,
    plans: Vec<Plan>,
    lines: i64,
    /// The number that each MPI library gave each description, or why it has none.
    made: Vec<Vec<Result<usize, String>>>,
}

impl Bench<'_> {
    /// Measures one layout and size in some directions.
    ///
    /// # Errors
    /// commloom or a hand-written loop moves the wrong bytes.
    pub fn cells(
        &self,
        region: &mut Region,
        number: usize,
        case: &Case,
        directions: &[bool],
    ) -> Result<Vec<Cell>, String> {
        let layout = &self.layouts[number];
        let named =
            |e: String| format!("{} {}, {} bytes: {e}", layout.family, layout.name, case.bytes);
        region.fill(case.footprint);
        let given = self.given(number, case).map_err(named)?;
        directions
            .iter()
            .map(|&packing| self.cell(region, &given, packing).map_err(named))
            .collect()
    }

    fn given<'c>(&self, number: usize, case: &'c Case) -> Result<Given<'c>, String> {
        let form = &self.layouts[number].form;
        let described = descriptions(form, case).map_err(|e| e.to_string())?;
        let plans = described.iter().map(|d| self.plan(d)).collect::<Result<Vec<_>, _>>()?;
        let lines = touched_lines(&plans[0], case.footprint);
        let (index, size, seed) = (self.layouts[number].index, case.size, self.seed);
        let make = |peer: &mut Peer| {
            let made = peer.case(index, size, seed, described.len());
            made.unwrap_or_else(|reason| vec![Err(reason); described.len()])
        };
        let made = self.peers.borrow_mut().iter_mut().map(make).collect();
        Ok(Given { number, case, sizes: hand::arguments(form), described, plans, lines, made })
    }

    fn plan(&self, description: &Description) -> Result<Plan, String> {
        let Description { ty, count, .. } = description;
        let plan = if self.normalize {
            let (set, model) = (Constructors::Tree, CostModel::default());
            let normal = normalize_many(*count, ty, set, &model).map_err(|e| e.to_string())?;
            Plan::packed(&normal.ty, 1, &self.target)
        } else {
            Plan::packed(ty, *count, &self.target)
        };
        plan.map_err(|e| e.to_string())
    }

    fn cell(&self, region: &mut Region, given: &Given, packing: bool) -> Result<Cell, String> {
        let Given { number, case, .. } = *given;
        let buffers = region.buffers();
        let reference =
            [true, false].map(|packing| self.hands[0].1.hand(number, packing, Sizes::Arguments));
        let mut oracle = Oracle::new(case, &given.sizes, reference, buffers);
        let mut contenders = self.contenders(region, given, packing);
        oracle.before_unpack(buffers);
        let mut wrong = Vec::new();
        for contender in &mut contenders {
            let checked = match (&contender.who, packing) {
                (Who::Memcpy | Who::Limit, _) => Ok(()),
                (_, true) => oracle.check_pack(buffers, &mut contender.call),
                (_, false) => oracle.check_unpack(region, &mut contender.call),
            };
            match (&contender.who, checked) {
                (_, Ok(())) => wrong.push(None),
                (&Who::Mpi(number), Err(reason)) => {
                    self.peers.borrow_mut()[number].distrust();
                    wrong.push(Some(reason));
                }
                (who, Err(reason)) => {
                    return Err(format!("{who:?}, {:?}: {reason}", contender.description));
                }
            }
        }
        let samples = rounds(&mut contenders, &self.effort);
        let mut results = Vec::new();
        for ((contender, samples), wrong) in contenders.iter().zip(samples).zip(wrong) {
            let (samples, wrong) = match (samples, wrong) {
                (Ok(samples), None) => (samples, None),
                (_, Some(reason)) | (Err(reason), None) => (Vec::new(), Some(reason)),
            };
            let Contender { ref who, description, .. } = *contender;
            results.push(Outcome { who: who.clone(), description, samples, wrong });
        }
        drop(contenders);
        oracle.restore(buffers);
        if !packing {
            // The stream of the limit wrote here.
            region.refill(0..64 * (length(given.lines) + 2));
        }
        repeat_equal_plans(given, &mut results);
        refused(given, &mut results);
        let (bytes, footprint) = (case.bytes, case.footprint);
        let (layout, size, lines) = (number, case.size, given.lines);
        let runs = given.plans[0].cost_estimate().runs;
        Ok(Cell { layout, size, packing, bytes, footprint, lines, runs, results })
    }

    fn contenders<'c>(
        &'c self,
        region: &Region,
        given: &'c Given,
        packing: bool,
    ) -> Vec<Contender<'c>> {
        let (buffers, case) = (region.buffers(), given.case);
        let (streams, lines) = (self.hands[0].1.stream(), given.lines);
        let packed_lines = i64::try_from(case.bytes.div_ceil(64)).expect("small");
        let limit = if packing {
            contender::limit(streams, buffers.memory, lines, buffers.packed, packed_lines)
        } else {
            contender::limit(streams, buffers.packed, packed_lines, buffers.memory, lines)
        };
        let mut all = Vec::new();
        let mut add = |who, description, call| all.push(Contender { who, description, call });
        add(Who::Memcpy, None, contender::memcpy(buffers, case.bytes));
        add(Who::Limit, None, limit);
        for (compiler, library) in self.hands {
            for &sizes in Sizes::of(&self.layouts[given.number].form) {
                let hand = library.hand(given.number, packing, sizes);
                let call = contender::hand(hand, buffers, case.n, &case.places, &given.sizes);
                add(Who::Hand { compiler, sizes }, None, call);
            }
        }
        for (i, plan) in given.plans.iter().enumerate() {
            if !given.plans[..i].contains(plan) {
                let call = contender::commloom(plan, buffers, packing);
                add(Who::Commloom, Some(given.described[i].name), call);
            }
        }
        for (peer, made) in given.made.iter().enumerate() {
            for (number, description) in made.iter().zip(&given.described) {
                let call = match number {
                    Ok(number) => self.peers.borrow()[peer].call(packing, *number),
                    Err(_) => continue,
                };
                add(Who::Mpi(peer), Some(description.name), call);
            }
        }
        all
    }
}

/// The descriptions that a library does not take.
fn refused(given: &Given, results: &mut Vec<Outcome>) {
    for (peer, made) in given.made.iter().enumerate() {
        for (number, description) in made.iter().zip(&given.described) {
            if let Err(reason) = number {
                let (who, description) = (Who::Mpi(peer), Some(description.name));
                results.push(Outcome {
                    who,
                    description,
                    samples: vec![],
                    wrong: Some(reason.clone()),
                });
            }
        }
    }
}

/// Descriptions of which the plans are equal are measured once.
fn repeat_equal_plans(given: &Given, results: &mut Vec<Outcome>) {
    for (i, plan) in given.plans.iter().enumerate() {
        let first = given.plans.iter().position(|p| p == plan).unwrap_or(i);
        let (name, first) = (given.described[i].name, given.described[first].name);
        let of = |o: &&Outcome| o.who == Who::Commloom && o.description == Some(first);
        if name != first
            && let Some(found) = results.iter().find(of)
        {
            let samples = found.samples.clone();
            let description = Some(name);
            results.push(Outcome { who: Who::Commloom, description, samples, wrong: None });
        }
    }
}

/// How many lines of 64 bytes hold bytes of the layout, the buffer beginning on a line.
fn touched_lines(plan: &Plan, footprint: usize) -> i64 {
    let mut seen = vec![0u64; footprint / 64 / 64 + 2];
    for run in plan.runs(0..plan.bytes()) {
        let first = length(run.a);
        let last = first + usize::try_from(run.length).expect("small") - 1;
        for line in first / 64..=last / 64 {
            seen[line / 64] |= 1 << (line % 64);
        }
    }
    seen.iter().map(|word| i64::from(word.count_ones())).sum()
}
