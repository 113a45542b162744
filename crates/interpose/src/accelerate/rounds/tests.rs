use super::*;

const MESSAGE: RoundMessage = RoundMessage {
    kind: 1,
    ways: RoundWays { expected: [true, false], other: [false; 2] },
    may_rest: false,
};

fn contest() -> SharedContest {
    let contest = Contest::new([Some(0.5), None, None], 7);
    let (contest, told) = (Mutex::new(contest), AtomicU8::new(0));
    Arc::new(NamedContest { name: 1, side: 0, contest, told })
}

/// How many rounds begin with this kind in what a thread does.
fn rounds(work: impl FnOnce(&SharedContest) + Send + 'static) -> u64 {
    let contest = contest();
    let shared = contest.clone();
    std::thread::spawn(move || work(&shared)).join().unwrap();
    contest.lock().exchanges()
}

#[test]
fn requests_and_what_completes_them_are_one_round() {
    let exchange = |contest: &SharedContest| {
        for _ in 0..4 {
            way(MESSAGE, || contest.clone()).1.done(CallEnd::Started);
        }
        // Blocking, while requests are under way.
        way(MESSAGE, || contest.clone()).1.done(CallEnd::Done);
        completed(completing(), || 2);
        completed(completing(), || 2);
    };
    let count = rounds(move |contest| {
        for _ in 0..10 {
            exchange(contest);
        }
    });
    assert_eq!(count, 10);
}

#[test]
fn blocking_calls_are_rounds_of_their_own() {
    let count = rounds(|contest| {
        for _ in 0..10 {
            way(MESSAGE, || contest.clone()).1.done(CallEnd::Done);
            completed(completing(), || 1);
        }
    });
    assert_eq!(count, 10);
}

/// The time that is measured of a round is what its calls took: not what the program waits for
/// afterwards, in whatever pieces it has waited.
#[test]
fn what_is_waited_for_after_a_round_is_no_time_of_it() {
    // However long a loaded machine makes of it.
    let counted = |waits: &'static [usize], first: usize| {
        let work = move || {
            let contest = contest();
            let begin = || {
                (0..4).for_each(|_| way(MESSAGE, || contest.clone()).1.done(CallEnd::Started));
            };
            // Of the first ones every one is timed.
            (0..2).for_each(|_| {
                begin();
                completed(completing(), || 4);
            });
            let start = Instant::now();
            begin();
            let mut pauses = Vec::new();
            for requests in waits {
                let lap = completing();
                pauses.push(pause());
                completed(lap, || *requests);
            }
            let spent = with_current(|round| round.spent, Duration::ZERO);
            let (inside, after) = pauses.split_at(first);
            let after: Duration = after.iter().sum();
            let possible = inside.iter().sum()..=start.elapsed() - after;
            assert!(possible.contains(&spent), "{waits:?}: {spent:?}, not in {possible:?}");
        };
        std::thread::spawn(work).join().unwrap();
    };
    counted(&[4], 1);
    counted(&[4, 4, 4], 1);
    counted(&[1, 1, 2, 4], 3);
    counted(&[1, 3], 2);
}

/// Waits, and says how long.
fn pause() -> Duration {
    let start = Instant::now();
    std::thread::sleep(Duration::from_millis(20));
    start.elapsed()
}

#[test]
fn looks_at_messages_are_timed_by_themselves() {
    std::thread::spawn(|| {
        let contest = contest();
        let mut times = [Duration::ZERO; 2];
        for is_long in [false, false, true] {
            let (start, mut paused) = (Instant::now(), Duration::ZERO);
            for _ in 0..2 {
                looks();
                paused += if is_long { pause() } else { Duration::ZERO };
                way(MESSAGE, || contest.clone()).1.done(CallEnd::Started);
            }
            completed(completing(), || 2);
            times = [paused, start.elapsed()];
        }
        let (spent, looked) = with_current(|round| (round.spent, round.looked), Default::default());
        assert!(looked >= times[0] && spent <= times[1] - times[0], "{spent:?}, {looked:?}");
    })
    .join()
    .unwrap();
}

#[test]
fn completions_cost_nothing_where_nothing_is_under_way() {
    std::thread::spawn(|| assert!(!with_current(|round| round.watches(), true))).join().unwrap();
}
