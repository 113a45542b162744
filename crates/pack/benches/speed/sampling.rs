//! Rounds: in each, everybody in turn. Ratios are taken inside a round, so that a machine that
//! changes its speed changes both sides.

use crate::contender::Contender;
use crate::number::whole;

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Most rounds of a cell.
    pub rounds: usize,
    /// A sample has so many calls that it takes at least this long, in nanoseconds.
    pub sample: f64,
    /// All samples of a contender in a cell take about this long at most, in nanoseconds.
    pub budget: f64,
}

/// Fewest samples of a contender, and of one whose calls are slower than [`SLOW`].
const FEWEST: usize = 5;
const FEWEST_SLOW: usize = 3;
/// In nanoseconds.
const SLOW: f64 = 300e6;

/// A call that takes longer has no need of one before it, which warms the tables of the processor
/// and is not timed.
const LONG: f64 = 5e6;

/// Calls in a sample, and samples.
#[derive(Debug, Clone, Copy)]
struct Pace {
    times: u32,
    rounds: usize,
    warm: bool,
}

/// Measures everybody: for each contender the nanoseconds of a call in the first rounds, fewer
/// where calls are long, or why a call failed.
pub fn rounds(contenders: &mut [Contender], effort: &Effort) -> Vec<Result<Vec<f64>, String>> {
    let paces: Vec<Result<Pace, String>> = contenders.iter_mut().map(|c| pace(c, effort)).collect();
    let mut samples: Vec<Result<Vec<f64>, String>> =
        paces.iter().map(|pace| pace.clone().map(|_| Vec::new())).collect();
    for round in 0..effort.rounds {
        for turn in 0..contenders.len() {
            // Everybody is somebody else's successor in every round.
            let who = (turn + round * 7) % contenders.len();
            let (Ok(pace), Ok(times)) = (&paces[who], &mut samples[who]) else { continue };
            if round < pace.rounds {
                match sample(&mut contenders[who], *pace) {
                    Ok(time) => times.push(time),
                    Err(reason) => samples[who] = Err(reason),
                }
            }
        }
    }
    samples
}

fn sample(contender: &mut Contender, pace: Pace) -> Result<f64, String> {
    if pace.warm {
        (contender.call)(1)?;
    }
    Ok((contender.call)(pace.times)? / f64::from(pace.times))
}

/// Finds out how long a call takes; it has been called before.
fn pace(contender: &mut Contender, effort: &Effort) -> Result<Pace, String> {
    let mut times = 1u32;
    let mut time = (contender.call)(times)?;
    while time < effort.sample && times < 1 << 16 {
        let more = (1.2 * effort.sample / time.max(1.0)).clamp(2.0, 16.0);
        times *= u32::try_from(whole(more.ceil())).unwrap_or(u32::MAX);
        time = (contender.call)(times)?;
    }
    let single = time / f64::from(times);
    let warm = single < LONG;
    let cost = time + if warm { single } else { 0.0 };
    let fewest = if single > SLOW { FEWEST_SLOW } else { FEWEST };
    let rounds = index(effort.budget / cost).max(fewest).min(effort.rounds);
    Ok(Pace { times, rounds, warm })
}

/// The whole part of a number as a place in a list.
fn index(number: f64) -> usize {
    usize::try_from(whole(number)).unwrap_or(usize::MAX)
}
