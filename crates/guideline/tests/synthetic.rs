//! The statistics against synthetic launches with a known answer.
//!
//! Times are made as measured ones are: the machine has a speed in each launch that both sides
//! share, each side draws something of its own per launch, and each sample draws again.

use commloom_measure::statistics::{MAX_ERROR, Medians, Ratio, against_best, median};
use fastrand::Rng;

/// Campaigns per distribution; the standard error of a rate of 3 % is 0.4 %.
const CAMPAIGNS: u32 = 2000;
const SAMPLES: usize = 11;

/// A factor that a time is multiplied with.
type Noise = fn(&mut Rng) -> f64;

fn normal(rng: &mut Rng) -> f64 {
    // Box and Muller.
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos()
}

fn normal_3_percent(rng: &mut Rng) -> f64 {
    (1.0 + 0.03 * normal(rng)).max(0.1)
}

fn lognormal_30_percent(rng: &mut Rng) -> f64 {
    (0.3 * normal(rng)).exp()
}

/// No variance: the tail of a Cauchy distribution.
fn heavy(rng: &mut Rng) -> f64 {
    1.0 + 0.05 * (normal(rng) / normal(rng).abs().max(1e-6)).abs()
}

/// Two speeds, as of a processor that is throttled or not.
fn bimodal(rng: &mut Rng) -> f64 {
    normal_3_percent(rng) * if rng.bool() { 2.0 } else { 1.0 }
}

fn quiet(_: &mut Rng) -> f64 {
    1.0
}

/// Sources of variation: the machine between launches, each side between launches, each sample.
struct World {
    name: &'static str,
    machine: Noise,
    side: Noise,
    sample: Noise,
}

const WORLDS: &[World] = &[
    World { name: "normal", machine: quiet, side: normal_3_percent, sample: normal_3_percent },
    World {
        name: "lognormal",
        machine: quiet,
        side: lognormal_30_percent,
        sample: normal_3_percent,
    },
    World { name: "heavy tails", machine: quiet, side: heavy, sample: heavy },
    World { name: "bimodal samples", machine: quiet, side: quiet, sample: bimodal },
    World { name: "bimodal sides", machine: quiet, side: bimodal, sample: heavy },
    World { name: "two speeds", machine: bimodal, side: normal_3_percent, sample: heavy },
];

impl World {
    /// Medians of `sides` series in so many launches; all take 1 without noise.
    fn campaign(&self, sides: usize, launches: u32, rng: &mut Rng) -> Vec<Medians> {
        let mut all = vec![Medians::new(); sides];
        for launch in 0..launches {
            let machine = (self.machine)(rng);
            for side in &mut all {
                let speed = machine * (self.side)(rng);
                let samples: Vec<f64> = (0..SAMPLES).map(|_| speed * (self.sample)(rng)).collect();
                side.insert(launch, median(samples).expect("samples"));
            }
        }
        all
    }

    /// Share of campaigns of which each of these is true.
    fn rates<const N: usize>(
        &self,
        sides: usize,
        launches: u32,
        are: impl Fn(&[Medians]) -> [bool; N],
    ) -> [f64; N] {
        let mut rng = Rng::with_seed(6);
        let mut hits = [0_u32; N];
        for _ in 0..CAMPAIGNS {
            let of = are(&self.campaign(sides, launches, &mut rng));
            hits.iter_mut().zip(of).for_each(|(hits, is)| *hits += u32::from(is));
        }
        hits.map(|hits| f64::from(hits) / f64::from(CAMPAIGNS))
    }
}

/// Three standard errors above what the test promises.
fn at_most(promised: f64) -> f64 {
    promised + 3.0 * (promised * (1.0 - promised) / f64::from(CAMPAIGNS)).sqrt()
}

#[test]
fn equal_times_are_called_different_at_most_once_in_32() {
    for world in WORLDS {
        for launches in [5, 6, 8, 10] {
            let rates = world.rates(2, launches, |t| {
                let ratio = Ratio::paired(&t[0], &t[1]).expect("pairs");
                [ratio.is_above(1.0), ratio.is_above(1.1), ratio.is_below(1.0)]
            });
            for rate in rates {
                assert!(rate <= at_most(MAX_ERROR), "{}, {launches} launches: {rate}", world.name);
            }
        }
    }
}

#[test]
fn the_interval_covers_the_truth_as_often_as_it_says() {
    for world in WORLDS {
        for launches in [3, 5, 7] {
            let t = world.campaign(2, launches, &mut Rng::with_seed(1));
            let promised = 1.0 - Ratio::paired(&t[0], &t[1]).expect("pairs").coverage();
            let [missed] = world.rates(2, launches, |t| {
                let ratio = Ratio::paired(&t[0], &t[1]).expect("pairs");
                [ratio.low > 1.0 || ratio.high < 1.0]
            });
            assert!(missed <= at_most(promised), "{}, {launches}: {missed} {promised}", world.name);
        }
    }
}

#[test]
fn unpaired_launches_raise_no_more_false_alarms() {
    for world in WORLDS {
        for launches in [4, 5, 8] {
            let [rate] = world.rates(2, launches, |t| {
                [Ratio::unpaired(&t[0], &t[1]).expect("launches").is_above(1.0)]
            });
            assert!(rate <= at_most(MAX_ERROR), "{}, {launches} launches: {rate}", world.name);
        }
    }
}

#[test]
fn the_best_of_equals_is_no_reason_for_alarm() {
    for world in WORLDS {
        for (sides, launches) in [(3, 5), (5, 5), (8, 5), (5, 8)] {
            let [any, threshold] = world.rates(sides, launches, |t| {
                let all: Vec<&Medians> = t.iter().collect();
                let ratio = against_best(0, &all).expect("launches");
                [ratio.is_above(1.0), ratio.is_above(1.1)]
            });
            let name = world.name;
            assert!(threshold <= 0.05, "{name}, {sides} sides, {launches} launches: {threshold}");
            // Choosing costs something where nothing but noise decides.
            assert!(any <= at_most(0.055), "{name}, {sides} sides, {launches} launches: {any}");
        }
    }
}

#[test]
fn half_as_slow_again_is_found_by_five_launches() {
    let slower = |t: &Medians| t.iter().map(|(&k, &us)| (k, 1.5 * us)).collect::<Medians>();
    let found = |t: &[Medians]| {
        let slow = slower(&t[0]);
        let mut all: Vec<&Medians> = t.iter().collect();
        all[0] = &slow;
        let paired = Ratio::paired(&slow, &t[1]).expect("pairs");
        let best = against_best(0, &all).expect("launches");
        [paired.is_above(1.1), best.is_above(1.1)]
    };
    for rate in WORLDS[0].rates(6, 5, found) {
        assert!(rate > 0.999, "{rate}");
    }
    // What shared machines do: launches that are slow by half, heavy tails in the samples, two
    // speeds of the machine.
    let spiky: Noise = |rng| normal_3_percent(rng) * if rng.f64() < 0.02 { 1.5 } else { 1.0 };
    let shared = World { name: "shared machine", machine: bimodal, side: spiky, sample: heavy };
    for rate in shared.rates(2, 5, found) {
        assert!(rate > 0.85, "{rate}");
    }
}
