//! Rows in a line of tokens: where a block of q tokens follows itself.
//!
//! The *letter* of a token is its atom and the step to the next token. A *strided* row of period q is
//! a range where every letter equals the one q later. In a *chain* the steps at one junction,
//! always the same modulo q, are free: equal blocks at unequal distances.
//!
//! - Short periods: for each q one pass over the letters.
//! - Long periods: two equal windows of w letters at a distance of at most 4 w propose a period,
//!   which is then extended letter by letter in both directions. Windows are found by rolling
//!   fingerprints (mod 2^61 - 1), of which a false match costs time only. A period is not proposed
//!   again inside its row. Extensions stop for good when a work budget linear in n is spent.

use std::collections::HashMap;

use super::line::Line;

/// Tokens `from..to` where letters repeat after `period` tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub from: usize,
    pub to: usize,
    pub period: usize,
    /// How many steps at the free junction differ from the one before; blocks begin behind it.
    pub breaks: usize,
    /// Where a block begins, in a chain: behind the junction. In a strided row it can be anywhere.
    pub begins: Option<usize>,
}

/// Periods that are looked for one by one.
const SHORT: usize = 8;

/// Letters that extensions may compare, for each letter of the line.
const BUDGET: usize = 32;

/// How a letter compares to the one a period later.
enum Match {
    Equal,
    OtherStep,
    OtherAtom,
}

impl Line {
    fn compare(&self, t: usize, period: usize) -> Match {
        let later = t + period;
        if later + 1 >= self.len() || self.atoms[t] != self.atoms[later] {
            Match::OtherAtom
        } else if self.step(t) == self.step(later) {
            Match::Equal
        } else {
            Match::OtherStep
        }
    }
}

/// All rows of short periods with at least `least` tokens and two blocks; if `sampled`, only of
/// periods that show in a sample of the line. O(n).
pub(super) fn short_rows(line: &Line, least: usize, sampled: bool) -> Vec<Row> {
    let mut rows = Rows { line, least, found: Vec::new() };
    let shows = |period: &usize| !sampled || shows_in_sample(line, *period);
    for period in (1..=SHORT.min(line.len() / 2)).filter(shows) {
        let mut from = 0;
        while from + period + 1 < line.len() {
            let reach = forward(line, from, period, None);
            rows.add(from, reach.first, period, 0, None);
            rows.add(from, reach.end, period, reach.breaks, reach.free);
            // The next row may use what lies behind the last free junction.
            let next = if reach.hard { reach.end + 1 } else { reach.last + 1 };
            from = next.max(from + 1);
        }
    }
    rows.found
}

/// Whether most letters equal those a period later in one of a few windows spread over the line.
fn shows_in_sample(line: &Line, period: usize) -> bool {
    const WINDOWS: usize = 16;
    const LETTERS: usize = 128;
    let distance = (line.len() / WINDOWS).max(LETTERS);
    (0..line.len()).step_by(distance).any(|from| {
        let window = from..(from + LETTERS).min(line.len());
        let equal = window.filter(|&t| matches!(line.compare(t, period), Match::Equal)).count();
        2 * equal >= LETTERS
    })
}

/// Rows with periods up to 4 `window` and at least `least` tokens that contain two equal windows.
/// O(n) expected.
pub(super) fn long_rows(line: &Line, window: usize, least: usize) -> Vec<Row> {
    let letters = line.len() - 1;
    if letters < 2 * window {
        return Vec::new();
    }
    let prints = fingerprints(line, window);
    let mut rows = Rows { line, least, found: Vec::new() };
    let mut last_seen: HashMap<u64, usize> = HashMap::with_capacity(prints.len() / 2);
    // Where the last row of each period ends.
    let mut ends: HashMap<usize, usize> = HashMap::new();
    let mut budget = letters * BUDGET;
    for (there, print) in prints.iter().enumerate() {
        let Some(here) = last_seen.insert(*print, there) else { continue };
        let period = there - here;
        let inside = ends.get(&period).is_some_and(|end| there < *end);
        if period <= SHORT || period > 4 * window || inside || budget == 0 {
            continue;
        }
        let ahead = forward(line, here, period, None);
        let behind = backward(line, here, period, ahead.free);
        ends.insert(period, ahead.end + period);
        budget = budget.saturating_sub(ahead.end - behind.end + period);
        rows.add(behind.first, ahead.first, period, 0, None);
        let free = ahead.free.or(behind.free);
        rows.add(behind.end, ahead.end, period, ahead.breaks + behind.breaks, free);
    }
    rows.found
}

struct Rows<'a> {
    line: &'a Line,
    least: usize,
    found: Vec<Row>,
}

impl Rows<'_> {
    /// The row of equal letters `from..end`: a token more where the last one has the right atom.
    fn add(&mut self, from: usize, end: usize, period: usize, breaks: usize, free: Option<usize>) {
        let last = end + period;
        let same = last < self.line.len() && self.line.atoms[end] == self.line.atoms[last];
        let to = (last + usize::from(same)).min(self.line.len());
        let begins = free.map(|f| from + (f % period + 1 + period - from % period) % period);
        let tokens = to.saturating_sub(begins.unwrap_or(from));
        if tokens >= self.least.max(2 * period) {
            self.found.push(Row { from, to, period, breaks, begins });
        }
    }
}

/// How far letters are equal from some place on.
struct Reach {
    /// Up to the first other step.
    first: usize,
    /// Up to the second other step that is not at the same junction, or another atom.
    end: usize,
    /// The free junction, if any, and how often it differed; the last time at `last`.
    free: Option<usize>,
    breaks: usize,
    last: usize,
    /// Whether it ended at another atom, or the end of the line.
    hard: bool,
}

impl Reach {
    fn new(from: usize, free: Option<usize>) -> Reach {
        Reach { first: from, end: from, free, breaks: 0, last: from, hard: false }
    }

    /// Takes a step that differs at letter `t`; false where the junction is another one.
    fn takes(&mut self, t: usize, period: usize) -> bool {
        let free = *self.free.get_or_insert(t);
        if free % period != t % period {
            return false;
        }
        self.breaks += 1;
        self.last = t;
        true
    }
}

/// Letters `from..`.
fn forward(line: &Line, from: usize, period: usize, free: Option<usize>) -> Reach {
    let mut reach = Reach::new(from, free);
    let mut t = from;
    loop {
        match line.compare(t, period) {
            Match::Equal => {}
            Match::OtherAtom => {
                reach.hard = true;
                break;
            }
            Match::OtherStep => {
                if reach.breaks == 0 {
                    reach.first = t;
                }
                if !reach.takes(t, period) {
                    break;
                }
            }
        }
        t += 1;
    }
    if reach.breaks == 0 {
        reach.first = t;
    }
    reach.end = t;
    reach
}

/// Letters `..from`, backwards; ends are the first letters inside.
fn backward(line: &Line, from: usize, period: usize, free: Option<usize>) -> Reach {
    let mut reach = Reach::new(from, free);
    let mut t = from;
    while t > 0 {
        match line.compare(t - 1, period) {
            Match::Equal => {}
            Match::OtherAtom => break,
            Match::OtherStep => {
                if reach.breaks == 0 {
                    reach.first = t;
                }
                if !reach.takes(t - 1, period) {
                    break;
                }
            }
        }
        t -= 1;
    }
    if reach.breaks == 0 {
        reach.first = t;
    }
    reach.end = t;
    reach
}

/// Fingerprint of the window that starts at each letter.
fn fingerprints(line: &Line, window: usize) -> Vec<u64> {
    const PRIME: u64 = (1 << 61) - 1;
    const BASE: u64 = 0x0e2f_9c3b_71d5_4a87 % PRIME;
    let times = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b) % u128::from(PRIME);
        u64::try_from(product).expect("below 2^61")
    };
    let letter = |t: usize| {
        let step = u64::from_ne_bytes(line.step(t).to_ne_bytes());
        (step ^ (u64::from(line.atoms[t]) << 40)).wrapping_mul(0x9E37_79B9_7F4A_7C15) % PRIME
    };
    let highest = (0..window).fold(1, |power, _| times(power, BASE));
    let letters = line.len() - 1;
    let mut prints = Vec::with_capacity(letters + 1 - window);
    let mut print = 0;
    for t in 0..letters {
        print = (times(print, BASE) + letter(t)) % PRIME;
        if t >= window {
            print = (print + PRIME - times(letter(t - window), highest)) % PRIME;
        }
        if t + 1 >= window {
            prints.push(print);
        }
    }
    prints
}
