//! Campaigns without processes.

use super::*;
use crate::results::{Environment, FORMAT, Options, VERSION};

fn results(runs: u32, mpi: &[&str]) -> Results {
    Results {
        format: FORMAT.into(),
        version: VERSION,
        complete: false,
        date: String::new(),
        seed: 1,
        options: Options {
            mpi: mpi.iter().map(|&m| m.to_owned()).collect(),
            tests: vec![6],
            operations: None,
            processes: 2,
            runs,
            bases: vec!["MPI_INT".into()],
            sizes: Some(vec![400]),
            blocks: Some(vec![2, 10]),
            modes: vec![Mode::Native, Mode::Commloom],
            quick: false,
            threshold: 1.1,
        },
        environment: Environment {
            host: String::new(),
            os: String::new(),
            cpu: String::new(),
            cores: 2,
            governor: None,
            pinning: String::new(),
            commloom: String::new(),
        },
        runs: Vec::new(),
    }
}

/// Processes that measure at once, unless something goes wrong.
#[derive(Default)]
struct Fake {
    starts: Vec<Start>,
    /// (launch, mode, place): dies there.
    deadly: Vec<(u32, Mode, usize)>,
    /// The user stops at the place of the first start of this launch.
    interrupt: Option<(u32, usize)>,
    refuse: bool,
    version: &'static str,
}

impl Launcher for Fake {
    fn launch(&mut self, start: Start, tell: &mut dyn FnMut(Event)) -> Ending {
        self.starts.push(start);
        if self.refuse {
            return Ending::Died { why: "no network".into() };
        }
        tell(Event::Started { library: format!("MPICH Version: {}", self.version) });
        for place in start.first..MEASUREMENTS {
            tell(Event::Began { place });
            if self.interrupt == Some((start.launch, place)) {
                self.interrupt = None;
                return Ending::Interrupted;
            }
            if self.deadly.contains(&(start.launch, start.mode, place)) {
                return Ending::Died { why: "signal 9".into() };
            }
            tell(Event::Measured { place, samples_us: vec![1.0] });
        }
        tell(Event::Ended);
        Ending::Finished
    }

    fn mpirun(&self, _: usize) -> String {
        "mpirun".into()
    }
}

/// Of the options above: contiguous, reference, vector and normal form, for two blocks; the
/// contiguous one is the same.
const MEASUREMENTS: usize = 7;

#[derive(Default)]
struct Saved {
    times: usize,
    progress: Vec<usize>,
}

impl Watcher for Saved {
    fn advanced(&mut self, done: usize, all: usize) {
        assert!(done <= all);
        self.progress.push(done);
    }

    fn save(&mut self, _: &Results) -> io::Result<()> {
        self.times += 1;
        Ok(())
    }
}

fn go(results: &mut Results, fake: &mut Fake) -> Result<End, CampaignError> {
    let plan = Plan::new(&results.options).expect("a test of the paper");
    assert_eq!(plan.measurements.len(), MEASUREMENTS);
    run(&plan, results, fake, &mut Saved::default())
}

fn outcomes(results: &Results) -> (usize, usize) {
    let all = results.runs.iter().flat_map(|r| &r.series).flat_map(|s| &s.launches);
    let (measured, failed): (Vec<_>, Vec<_>) =
        all.partition(|l| matches!(l.outcome, Outcome::Measured { .. }));
    (measured.len(), failed.len())
}

#[test]
fn launches_of_one_number_follow_each_other_and_modes_alternate() {
    let (mut results, mut fake) = (results(2, &["a", "b"]), Fake::default());
    assert_eq!(go(&mut results, &mut fake).expect("nothing fails"), End::Complete);
    let seen: Vec<_> = fake.starts.iter().map(|s| (s.launch, s.library, s.mode)).collect();
    let (n, c) = (Mode::Native, Mode::Commloom);
    let expected =
        [(0, 0, n), (0, 0, c), (0, 1, n), (0, 1, c), (1, 0, c), (1, 0, n), (1, 1, c), (1, 1, n)];
    assert_eq!(seen, expected);
    assert!(results.complete);
    assert_eq!(outcomes(&results), (8 * MEASUREMENTS, 0));
    assert_eq!(results.runs[0].series.len(), 2 * MEASUREMENTS);
}

#[test]
fn a_death_is_blamed_on_its_measurement_and_the_rest_goes_on() {
    let mut results = results(1, &["a"]);
    let deadly = vec![(0, Mode::Native, 2), (0, Mode::Native, 6)];
    let mut fake = Fake { deadly, ..Fake::default() };
    assert_eq!(go(&mut results, &mut fake).expect("goes on"), End::Complete);
    let firsts: Vec<_> = fake.starts.iter().map(|s| s.first).collect();
    assert_eq!(firsts, [0, 3, 0], "after the last place nothing is left to start");
    assert_eq!(outcomes(&results), (2 * MEASUREMENTS - 2, 2));
    let plan = Plan::new(&results.options).expect("as before");
    let blamed = plan.measurements[plan.order(1, 0)[2]];
    let series = results.runs[0].series.iter().find(|s| key(s) == (blamed, Mode::Native));
    let failed = Outcome::Failed { error: "signal 9".into() };
    assert_eq!(series.expect("it is there").launches[0].outcome, failed);
}

#[test]
fn what_was_interrupted_is_resumed_where_it_stopped() {
    let (mut results, mut fake) =
        (results(2, &["a"]), Fake { interrupt: Some((1, 4)), ..Fake::default() });
    assert_eq!(go(&mut results, &mut fake).expect("stopped"), End::Interrupted);
    assert!(!results.complete);
    assert_eq!(outcomes(&results), (2 * MEASUREMENTS + 4, 0));
    assert_eq!(go(&mut results, &mut fake).expect("goes on"), End::Complete);
    assert_eq!(outcomes(&results), (4 * MEASUREMENTS, 0));
    let again = fake.starts[3];
    assert_eq!((again.launch, again.mode, again.first), (1, Mode::Commloom, 4));
    let starts = fake.starts.len();
    assert_eq!(go(&mut results, &mut fake).expect("nothing to do"), End::Complete);
    assert_eq!(fake.starts.len(), starts);
}

#[test]
fn other_libraries_and_other_cases_are_not_mixed() {
    let (mut results, mut fake) = (results(1, &["a"]), Fake { version: "4.0", ..Fake::default() });
    go(&mut results, &mut fake).expect("nothing fails");
    results.options.runs = 2;
    fake.version = "5.0";
    let error = go(&mut results, &mut fake).expect_err("another library").to_string();
    assert!(error.contains("\"MPICH Version: 4.0\", now it is \"MPICH Version: 5.0\""), "{error}");
    results.runs[0].cases[0].count += 1;
    let error = go(&mut results, &mut fake).expect_err("another case").to_string();
    assert!(error.contains("other cases"), "{error}");
}

#[test]
fn a_library_that_does_not_start_or_dies_for_ever_is_an_error() {
    let mut fake = Fake { refuse: true, ..Fake::default() };
    let error = go(&mut results(1, &["a"]), &mut fake).expect_err("it died").to_string();
    assert_eq!(error, "cannot measure with a: no network");
}
