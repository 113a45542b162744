//! Strided rows in a line of tokens: where a block of q tokens follows itself at equal distances.
//!
//! The *letter* of a token is its atom and the step to the next token. A row of period q is a maximal
//! range where every letter equals the one q later.
//!
//! - Short periods: for each q one pass over the letters.
//! - Long periods: two equal windows of w letters at a distance of at most 4 w propose a period;
//!   the range is then extended letter by letter. Windows are found by rolling fingerprints (mod
//!   2^61 - 1), of which a false match costs time only. A period is not proposed again inside its row.

use std::collections::HashMap;

use super::line::Line;

/// Tokens `from..to` where letters repeat after `period` tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub from: usize,
    pub to: usize,
    pub period: usize,
}

/// Periods that are looked for one by one.
const SHORT: usize = 8;

/// All rows of short periods with at least `least` tokens and two blocks. O(n).
pub(super) fn short_rows(line: &Line, least: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for period in 1..=SHORT.min(line.len() / 2) {
        let mut t = 0;
        while t + period + 1 < line.len() {
            let end = equal_until(line, t, period);
            let row = row(line, t, end, period);
            if row.to - row.from >= least.max(2 * period) {
                rows.push(row);
            }
            t = end + 1;
        }
    }
    rows
}

/// Rows with periods up to 4 `window` and at least `least` tokens that contain two equal windows.
/// O(n) expected, and the sum of the rows found.
pub(super) fn long_rows(line: &Line, window: usize, least: usize) -> Vec<Row> {
    let letters = line.len() - 1;
    if letters < 2 * window {
        return Vec::new();
    }
    let prints = fingerprints(line, window);
    let mut rows: Vec<Row> = Vec::new();
    let mut last_seen: HashMap<u64, usize> = HashMap::with_capacity(prints.len() / 2);
    // Where the last row of each period ends.
    let mut ends: HashMap<usize, usize> = HashMap::new();
    for (there, print) in prints.iter().enumerate() {
        let Some(here) = last_seen.insert(*print, there) else { continue };
        let period = there - here;
        if period > 4 * window || ends.get(&period).is_some_and(|end| there < *end) {
            continue;
        }
        let end = equal_until(line, here, period);
        let equal = |t: &usize| same_letter(line, *t, *t + period);
        let start = (0..here).rev().take_while(equal).last().unwrap_or(here);
        ends.insert(period, end + period);
        let row = row(line, start, end, period);
        if row.to - row.from >= least.max(2 * period) {
            rows.push(row);
        }
    }
    rows
}

fn same_letter(line: &Line, a: usize, b: usize) -> bool {
    b + 1 < line.len() && line.atoms[a] == line.atoms[b] && line.step(a) == line.step(b)
}

/// First t from `from` on whose letter differs from the one `period` later.
fn equal_until(line: &Line, from: usize, period: usize) -> usize {
    (from..).find(|&t| !same_letter(line, t, t + period)).expect("the line ends")
}

/// The row of equal letters `from..end`: a token more where the last one has the right atom.
fn row(line: &Line, from: usize, end: usize, period: usize) -> Row {
    let last = end + period;
    let same = last < line.len() && line.atoms[end] == line.atoms[last];
    Row { from, to: last + usize::from(same), period }
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
