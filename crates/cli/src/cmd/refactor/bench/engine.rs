//! commloom's own engine, as `commloom exec` uses it: from the normal form.

use std::time::Instant;

use commloom_layout::CostModel;
use commloom_pack::{detect, pack, unpack};
use commloom_plan::Plan;
use commloom_reconstruct::{Constructors, normalize};
use commloom_refactor::copies::Direction;
use commloom_refactor::verify::Sample;

use super::{Way, pattern};

#[derive(Default)]
pub struct Engine {
    prepared: Option<Prepared>,
}

struct Prepared {
    plan: Plan,
    direction: Direction,
    memory: Vec<u8>,
    packed: Vec<u8>,
    /// Displacement 0.
    origin: usize,
}

impl Prepared {
    fn run(&mut self) -> Result<(), String> {
        let all = 0..self.plan.bytes();
        let done = match self.direction {
            Direction::Pack => pack(&self.plan, &self.memory, self.origin, all, &mut self.packed),
            Direction::Unpack => {
                unpack(&self.plan, &mut self.memory, self.origin, all, &self.packed)
            }
        };
        done.map_err(|error| error.to_string())
    }
}

impl Way for Engine {
    fn name(&self) -> &str {
        "commloom"
    }

    fn prepare(&mut self, _: usize, sample: &Sample) -> Result<(), String> {
        self.prepared = None;
        let too_large = || "it is too large".to_owned();
        let [memory, packed] = pattern::lengths(&sample.ty).ok_or_else(too_large)?;
        let lowest = sample.ty.true_lb();
        // The first byte of the memory is the first of the type, or displacement 0.
        let before = usize::try_from(lowest.max(0)).map_err(|_| too_large())?;
        let origin = usize::try_from(lowest.min(0).unsigned_abs()).map_err(|_| too_large())?;
        let normal = normalize(&sample.ty, Constructors::Extended, &CostModel::default());
        let normal = normal.map_err(|error| error.to_string())?.ty;
        let plan = Plan::packed(&normal, 1, &detect()).map_err(|error| error.to_string())?;
        let mut prepared = Prepared {
            plan,
            direction: sample.direction,
            memory: vec![0; before + memory],
            packed: vec![0; packed],
            origin,
        };
        pattern::fill(sample.direction, &mut prepared.memory[before..], &mut prepared.packed);
        prepared.run()?;
        let written = match sample.direction {
            Direction::Pack => &prepared.packed,
            Direction::Unpack => &prepared.memory[before..],
        };
        match pattern::wrong(sample, written) {
            Some(wrong) => Err(wrong),
            None => {
                self.prepared = Some(prepared);
                Ok(())
            }
        }
    }

    fn time(&mut self, times: u64) -> Result<f64, String> {
        let prepared = self.prepared.as_mut().ok_or("nothing is prepared")?;
        let start = Instant::now();
        for _ in 0..times {
            std::hint::black_box(&mut *prepared).run()?;
        }
        Ok(start.elapsed().as_secs_f64() * 1e9)
    }
}
