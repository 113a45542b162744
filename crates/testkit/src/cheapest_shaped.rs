//! The least price of an idxbuc node that has the shape of a bucket type or of a triangular type,
//! by the definitions alone: see [`commloom_layout::shaped`].
//!
//! Copies at given starts are cut into buckets, one after the other: inside a bucket neighbours
//! are `stride` apart, and each bucket begins `step` after the one before. All strides and steps
//! that occur are tried, and for each of them all cuts.

use std::collections::HashSet;

use commloom_layout::CostModel;

/// Least price of a bucket or triangular node, without its child, for copies at `starts` (at least
/// one); `None` where they do not have the shape or the model has no price for it.
#[must_use]
pub fn least_node(starts: &[i64], model: &CostModel) -> Option<u64> {
    let bucket = model.bucket.and_then(|node| {
        let buckets = u64::try_from(fewest_buckets(starts)?).expect("small");
        Some(node + buckets * model.lookup)
    });
    let triangular = model.triangular.filter(|_| is_triangle(starts));
    [bucket, triangular].into_iter().flatten().min()
}

/// The fewest buckets at equal distances.
#[must_use]
pub fn fewest_buckets(starts: &[i64]) -> Option<usize> {
    let all = starts.len();
    let found = strides(starts).into_iter().flat_map(|stride| {
        let first = run(starts, stride);
        let alone = (first == all).then_some(1);
        let steps: HashSet<i64> = (1..=first.min(all - 1)).map(|b| starts[b] - starts[0]).collect();
        let more = steps.into_iter().filter_map(move |step| fewest_with(starts, stride, step));
        more.chain(alone)
    });
    found.min()
}

/// The same for one stride and one distance.
fn fewest_with(starts: &[i64], stride: i64, step: i64) -> Option<usize> {
    // fewest[t]: for the copies from t on, if a bucket begins there.
    let all = starts.len();
    let mut fewest: Vec<Option<usize>> = vec![None; all + 1];
    fewest[all] = Some(0);
    for from in (0..all).rev() {
        let ends = from + 1..=from + run(&starts[from..], stride);
        let next = ends.filter(|&to| to == all || starts[to] - starts[from] == step);
        fewest[from] = next.filter_map(|to| fewest[to]).min().map(|rest| rest + 1);
    }
    fewest[0]
}

/// Whether there are buckets at equal distances that change by equal numbers of copies.
#[must_use]
pub fn is_triangle(starts: &[i64]) -> bool {
    let all = starts.len();
    strides(starts).into_iter().any(|stride| {
        let first = run(starts, stride);
        let second = |b: usize| 1..=all - b;
        first == all || (1..=first).any(|b| second(b).any(|c| is_triangle_of(starts, stride, b, c)))
    })
}

/// Whether the first two buckets, of `first` and `second` copies, go on to the end.
fn is_triangle_of(starts: &[i64], stride: i64, first: usize, second: usize) -> bool {
    let step = starts[first] - starts[0];
    let (mut from, mut block) = (0, Some(first));
    loop {
        let rest = &starts[from..];
        let Some(copies) = block.filter(|b| (1..=run(rest, stride)).contains(b)) else {
            return false;
        };
        if copies == rest.len() {
            return true;
        }
        if rest[copies] - rest[0] != step {
            return false;
        }
        from += copies;
        block = (copies + second).checked_sub(first);
    }
}

/// Differences of neighbours; any number where there are none.
fn strides(starts: &[i64]) -> HashSet<i64> {
    match starts {
        [_] => HashSet::from([0]),
        _ => starts.windows(2).map(|w| w[1] - w[0]).collect(),
    }
}

/// How many of these copies are `stride` apart, from the first one on.
fn run(starts: &[i64], stride: i64) -> usize {
    1 + starts.windows(2).take_while(|w| w[1] - w[0] == stride).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_layout::shaped;

    /// All cuts of the copies into buckets whose neighbours are equally far apart, with the lists
    /// of the idxbuc.
    fn all_cuts(starts: &[i64]) -> Vec<(Vec<i64>, Vec<u64>)> {
        let n = starts.len();
        let mut found = Vec::new();
        // Bit t of `cuts`: a new bucket begins at copy t + 1.
        for cuts in 0..1u32 << (n - 1) {
            let begins = |t: &usize| *t == 0 || cuts >> (t - 1) & 1 == 1;
            let inside = (1..n).filter(|t| !begins(t)).map(|t| starts[t] - starts[t - 1]);
            if inside.collect::<HashSet<i64>>().len() > 1 {
                continue;
            }
            let at: Vec<usize> = (0..n).filter(begins).chain([n]).collect();
            let indices = at[..at.len() - 1].iter().map(|&t| starts[t]).collect();
            let blocks = at.windows(2).map(|w| u64::try_from(w[1] - w[0]).unwrap()).collect();
            found.push((indices, blocks));
        }
        found
    }

    /// All sequences of up to 8 starts with steps from -1 to 3.
    #[test]
    fn the_fewest_buckets_and_the_triangles_are_those_among_all_cuts() {
        let (mut buckets, mut triangles) = (0, 0);
        for n in 1..=8u32 {
            for code in 0..5i64.pow(n - 1) {
                let mut starts = vec![0];
                for k in 0..n - 1 {
                    starts.push(starts.last().unwrap() + code / 5i64.pow(k) % 5 - 1);
                }
                let cuts = all_cuts(&starts);
                let even = cuts.iter().filter(|(i, b)| shaped::is_bucket(i, b));
                let fewest = even.map(|(i, _)| i.len()).min();
                assert_eq!(fewest_buckets(&starts), fewest, "{starts:?}");
                let triangle = cuts.iter().any(|(i, b)| shaped::is_triangular(i, b));
                assert_eq!(is_triangle(&starts), triangle, "{starts:?}");
                buckets += u32::from(fewest.is_some());
                triangles += u32::from(triangle);
            }
        }
        assert!(buckets > 2000 && triangles > 500, "{buckets} {triangles}");
    }
}
