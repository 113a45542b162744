//! Where in memory something was combined with what has come. Pure: two pictures of the same
//! memory, and operands.

use commloom_trace::Operator;

use super::element::{CERTAIN, Element};

/// Where memory that was `before` is `now` itself plus the operands, one after the other: bytes
/// from its beginning, which is aligned as the elements are. Only where that is no accident.
/// Linear in the memory but for what looks like it.
pub(super) fn in_place(
    element: Element,
    (before, now): (&[u8], &[u8]),
    operands: &[&[u8]],
) -> Option<usize> {
    let size = element.size();
    let length = operands.first()?.len();
    // Elements that nothing is added to do not change: the first one that does tells where the
    // others are.
    let idle = first_that_counts(size, operands)?;
    let addend = |operand: &&[u8]| {
        let mut number = [0; 8];
        number.get_mut(..size)?.copy_from_slice(operand.get(idle..idle + size)?);
        Some(number)
    };
    let addends: Vec<[u8; 8]> = operands.iter().map(addend).collect::<Option<_>>()?;
    let mut next = 0;
    while let Some(at) = element.grows((before, now), next, &addends) {
        next = at + 1;
        let Some(start) = (at * size).checked_sub(idle) else { continue };
        let range = start..start + length;
        let (Some(old), Some(new)) = (before.get(range.clone()), now.get(range)) else { continue };
        if element.is(Operator::Sum, new, old, operands)
            && element.evidence(Operator::Sum, old, operands) >= CERTAIN
        {
            return Some(start);
        }
    }
    None
}

/// Bytes before the first element that is not zero in all operands.
fn first_that_counts(size: usize, operands: &[&[u8]]) -> Option<usize> {
    let first = |bytes: &&[u8]| bytes.iter().position(|byte| *byte != 0);
    operands.iter().filter_map(first).min().map(|at| at / size * size)
}

/// Where these bytes are, as the elements are aligned. Linear in the memory.
pub(super) fn find(size: usize, memory: &[u8], bytes: &[u8]) -> Option<usize> {
    let head = bytes.get(..size)?;
    let places = memory.chunks_exact(size).enumerate().filter(|(_, chunk)| *chunk == head);
    places.map(|(at, _)| at * size).find(|&at| memory[at..].starts_with(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_layout::Basic;

    fn double() -> Element {
        Element::of(Basic::by_name("MPI_DOUBLE").unwrap()).unwrap()
    }

    fn bytes(values: &[f64]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_ne_bytes()).collect()
    }

    /// Where it is, by trying every place.
    fn naive(before: &[f64], now: &[f64], operands: &[Vec<f64>]) -> Option<usize> {
        let n = operands[0].len();
        (0..=before.len().saturating_sub(n)).find(|&start| {
            let sum = |i: usize| operands.iter().fold(before[start + i], |sum, b| sum + b[i]);
            (0..n).all(|i| now[start + i].to_bits() == sum(i).to_bits())
                && (0..n).any(|i| before[start + i] != now[start + i])
        })
    }

    #[test]
    fn a_place_is_found_where_the_naive_search_finds_it() {
        let mut found = 0;
        for seed in 0..500 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let before: Vec<f64> = (0..40).map(|_| rng.f64()).collect();
            let n = rng.usize(1..6);
            let operands: Vec<Vec<f64>> = (0..rng.usize(1..4))
                .map(|_| (0..n).map(|_| if rng.u8(0..3) == 0 { 0.0 } else { rng.f64() }).collect())
                .collect();
            let mut now = before.clone();
            if rng.bool() {
                let start = rng.usize(0..40 - n);
                for operand in &operands {
                    for (value, b) in now[start..].iter_mut().zip(operand) {
                        *value += b;
                    }
                }
            }
            for _ in 0..rng.usize(0..4) {
                now[rng.usize(0..40)] = rng.f64();
            }
            let packed: Vec<Vec<u8>> = operands.iter().map(|o| bytes(o)).collect();
            let packed: Vec<&[u8]> = packed.iter().map(Vec::as_slice).collect();
            let place = in_place(double(), (&bytes(&before), &bytes(&now)), &packed);
            let expected = naive(&before, &now, &operands).map(|at| 8 * at);
            let weak = operands[0].iter().all(|v| *v == 0.0);
            assert!(
                place == expected || (weak && place.is_none()),
                "seed {seed}: {place:?}, {expected:?}"
            );
            found += usize::from(place.is_some());
        }
        assert!(found > 150, "{found}");
    }

    #[test]
    fn counters_that_grow_by_what_came_are_no_sums() {
        let (before, now) = (bytes(&[0.5, 7.0, 3.0]), bytes(&[0.5, 8.0, 3.0]));
        let found = in_place(double(), (&before, &now), &[&bytes(&[1.0])]);
        assert_eq!(found, None);
    }

    #[test]
    fn bytes_are_found_where_elements_begin() {
        let memory = bytes(&[1.0, 2.0, 3.0, 2.0, 4.0]);
        assert_eq!(find(8, &memory, &bytes(&[2.0, 4.0])), Some(24));
        assert_eq!(find(8, &memory, &bytes(&[4.0, 4.0])), None);
        assert_eq!(find(8, &memory[4..36], &bytes(&[2.0])), None);
    }
}
