//! Elements that can be combined: whether some bytes are what others make, bit by bit.

use commloom_layout::Basic;
use commloom_trace::Operator;

use super::arithmetic::{adds, each, float, grows, unordered, whole};

/// A basic type that reductions can combine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Element {
    /// The name of the basic type.
    pub name: &'static str,
    number: Number,
    /// A pair of numbers, of which only sums are known.
    is_complex: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    F32,
    F64,
    I32,
    U32,
    I64,
    U64,
}

/// Bits of evidence that are enough anywhere in memory: more are not counted.
pub(super) const CERTAIN: u32 = 24;
/// Bits that are enough where a result is expected: where something was sent from, or results were
/// found before.
pub(super) const LIKELY: u32 = 4;

impl Element {
    /// `None` for types that are not combined, or that the compiler has no arithmetic for. Sizes
    /// are those of `layout::Basic`.
    pub fn of(basic: Basic) -> Option<Element> {
        let name = basic.name();
        let is_complex = name.contains("COMPLEX");
        let number = match name {
            "MPI_FLOAT"
            | "MPI_REAL"
            | "MPI_REAL4"
            | "MPI_COMPLEX"
            | "MPI_COMPLEX8"
            | "MPI_C_COMPLEX"
            | "MPI_CXX_FLOAT_COMPLEX" => Number::F32,
            "MPI_DOUBLE"
            | "MPI_DOUBLE_PRECISION"
            | "MPI_REAL8"
            | "MPI_DOUBLE_COMPLEX"
            | "MPI_COMPLEX16"
            | "MPI_C_DOUBLE_COMPLEX"
            | "MPI_CXX_DOUBLE_COMPLEX" => Number::F64,
            "MPI_INT" | "MPI_INT32_T" | "MPI_INTEGER" | "MPI_INTEGER4" => Number::I32,
            "MPI_UNSIGNED" | "MPI_UINT32_T" => Number::U32,
            "MPI_LONG" | "MPI_LONG_LONG_INT" | "MPI_INT64_T" | "MPI_INTEGER8" => Number::I64,
            "MPI_UNSIGNED_LONG" | "MPI_UNSIGNED_LONG_LONG" | "MPI_UINT64_T" => Number::U64,
            _ => return None,
        };
        Some(Element { name, number, is_complex })
    }

    /// Bytes of one number: of half a complex one.
    pub fn size(self) -> usize {
        match self.number {
            Number::F32 | Number::I32 | Number::U32 => 4,
            Number::F64 | Number::I64 | Number::U64 => 8,
        }
    }

    /// Whether its numbers have fractions.
    pub fn is_float(self) -> bool {
        matches!(self.number, Number::F32 | Number::F64)
    }

    /// The operators on two of them.
    pub fn operators(self) -> &'static [Operator] {
        if self.is_complex { &[Operator::Sum] } else { &Operator::ALL }
    }

    /// Combines `b` into `a`, number by number, as far as both go.
    pub fn combine(self, operator: Operator, a: &mut [u8], b: &[u8]) {
        match self.number {
            Number::F32 => each(a, b, |x, y| {
                float(operator, f32::from_ne_bytes(x), f32::from_ne_bytes(y)).to_ne_bytes()
            }),
            Number::F64 => each(a, b, |x, y| {
                float(operator, f64::from_ne_bytes(x), f64::from_ne_bytes(y)).to_ne_bytes()
            }),
            Number::I32 => each(a, b, |x, y| {
                let (x, y) = (i32::from_ne_bytes(x), i32::from_ne_bytes(y));
                whole(operator, x, y, i32::wrapping_add, i32::wrapping_mul).to_ne_bytes()
            }),
            Number::U32 => each(a, b, |x, y| {
                let (x, y) = (u32::from_ne_bytes(x), u32::from_ne_bytes(y));
                whole(operator, x, y, u32::wrapping_add, u32::wrapping_mul).to_ne_bytes()
            }),
            Number::I64 => each(a, b, |x, y| {
                let (x, y) = (i64::from_ne_bytes(x), i64::from_ne_bytes(y));
                whole(operator, x, y, i64::wrapping_add, i64::wrapping_mul).to_ne_bytes()
            }),
            Number::U64 => each(a, b, |x, y| {
                let (x, y) = (u64::from_ne_bytes(x), u64::from_ne_bytes(y));
                whole(operator, x, y, u64::wrapping_add, u64::wrapping_mul).to_ne_bytes()
            }),
        }
    }

    /// Whether `result` is `a` with all the operands combined into it one after the other, and
    /// neither `a` nor an operand itself. Ends soon where it is not.
    pub fn is(self, operator: Operator, result: &[u8], a: &[u8], operands: &[&[u8]]) -> bool {
        let alike = |bytes: &[u8]| bytes.len() == result.len();
        if result.is_empty() || !alike(a) || !operands.iter().all(|b| alike(b)) {
            return false;
        }
        if !result.len().is_multiple_of(self.size()) {
            return false;
        }
        let is_extreme = matches!(operator, Operator::Min | Operator::Max);
        let mut at = 0;
        // Short at first: nearly all that is asked for is not.
        let mut step = self.size();
        let mut chunk = [0; CHUNK];
        while at < result.len() {
            let range = at..result.len().min(at + step);
            let chunk = &mut chunk[..range.len()];
            chunk.copy_from_slice(&a[range.clone()]);
            for b in operands {
                let b = &b[range.clone()];
                // A program's loop and MPI's operation may differ in what they make of these.
                if is_extreme && self.is_unordered(chunk, b) {
                    return false;
                }
                self.combine(operator, chunk, b);
            }
            if *chunk != result[range.clone()] {
                return false;
            }
            (at, step) = (range.end, CHUNK);
        }
        result != a && !operands.contains(&result)
    }

    /// Whether there is a pair of which none is the larger one, though they are not the same: one
    /// is no number, or they are zeros of different signs.
    fn is_unordered(self, a: &[u8], b: &[u8]) -> bool {
        match self.number {
            Number::F32 => unordered(a, b, f32::from_ne_bytes),
            Number::F64 => unordered(a, b, f64::from_ne_bytes),
            Number::I32 | Number::U32 | Number::I64 | Number::U64 => false,
        }
    }

    /// Whether one number is, bit by bit, the sum of two others, all of this size.
    pub fn adds(self, sum: &[u8], a: &[u8], b: &[u8]) -> bool {
        match self.number {
            Number::F32 => adds(sum, a, b, |x, y| {
                (f32::from_ne_bytes(x) + f32::from_ne_bytes(y)).to_ne_bytes()
            }),
            Number::F64 => adds(sum, a, b, |x, y| {
                (f64::from_ne_bytes(x) + f64::from_ne_bytes(y)).to_ne_bytes()
            }),
            Number::I32 | Number::U32 => adds(sum, a, b, |x, y| {
                u32::from_ne_bytes(x).wrapping_add(u32::from_ne_bytes(y)).to_ne_bytes()
            }),
            Number::I64 | Number::U64 => adds(sum, a, b, |x, y| {
                u64::from_ne_bytes(x).wrapping_add(u64::from_ne_bytes(y)).to_ne_bytes()
            }),
        }
    }

    /// The first place from `from` on, counted in numbers, where memory that was `before` is
    /// something else `now`, and that is what was there with all these numbers added to it, one
    /// after the other. Linear.
    pub fn grows(
        self,
        (before, now): (&[u8], &[u8]),
        from: usize,
        addends: &[[u8; 8]],
    ) -> Option<usize> {
        match self.number {
            Number::F32 => grows((before, now), from, |old| {
                let add = |sum: f32, b: &[u8; 8]| {
                    sum + b.first_chunk().map_or(0.0, |b| f32::from_ne_bytes(*b))
                };
                addends.iter().fold(f32::from_ne_bytes(old), add).to_ne_bytes()
            }),
            Number::F64 => grows((before, now), from, |old| {
                let add = |sum, b: &[u8; 8]| sum + f64::from_ne_bytes(*b);
                addends.iter().fold(f64::from_ne_bytes(old), add).to_ne_bytes()
            }),
            Number::I32 | Number::U32 => grows((before, now), from, |old| {
                let add = |sum: u32, b: &[u8; 8]| {
                    sum.wrapping_add(b.first_chunk().map_or(0, |b| u32::from_ne_bytes(*b)))
                };
                addends.iter().fold(u32::from_ne_bytes(old), add).to_ne_bytes()
            }),
            Number::I64 | Number::U64 => grows((before, now), from, |old| {
                let add = |sum: u64, b: &[u8; 8]| sum.wrapping_add(u64::from_ne_bytes(*b));
                addends.iter().fold(u64::from_ne_bytes(old), add).to_ne_bytes()
            }),
        }
    }

    /// How much it says that `a` and the operands make just their combination, in bits, up to
    /// [`CERTAIN`].
    ///
    /// - Sums and products count for each operand by its number, or the largest of the others
    ///   where that is smaller; of a product the operand that has the least decides, of a sum two
    ///   must have enough (some processes may have nothing to add). That a counter grows by one
    ///   says little. An element does not count where the result is one of the operands (the
    ///   others are zero, or lost in rounding) or zero: then it may have been copied, and memory
    ///   is full of zeros. Nor do products with 1 and -1.
    /// - Where another operation makes all of the results too, they say nothing of either: sets of
    ///   bits that have none in common add up to what `|` makes of them, and 2 and 2 are 4 either
    ///   way. One element that tells them apart is enough.
    /// - A minimum or maximum is always one of its operands. So numbers do not count, but only how
    ///   often it changes from one operand to another, if each has its turn: a field that was
    ///   written anew in one place does that once or twice. Zeros do not count here either.
    pub fn evidence(self, operator: Operator, a: &[u8], operands: &[&[u8]]) -> u32 {
        let size = self.size();
        let all: Vec<&[u8]> = std::iter::once(a).chain(operands.iter().copied()).collect();
        let is_extreme = matches!(operator, Operator::Min | Operator::Max);
        let mut bits = vec![0_u32; all.len()];
        let (mut winner, mut changes) = (None, 0_u32);
        let mut rivals = self.rivals(operator);
        for at in (0..a.len() / size).map(|element| element * size) {
            let values: Option<Vec<&[u8]>> = all.iter().map(|b| b.get(at..at + size)).collect();
            let Some(values) = values else { break };
            let mut result = values[0].to_vec();
            values[1..].iter().for_each(|value| self.combine(operator, &mut result, value));
            rivals.retain(|rival| self.makes(rival, &values, &result));
            if self.weight(&result) == 0
                || values.iter().all(|value| *value == values[0]) && is_extreme
            {
                continue;
            }
            if is_extreme {
                let Some(first) = values.iter().position(|value| *value == result) else {
                    continue;
                };
                bits[first] += 1;
                changes += u32::from(winner.replace(first).is_some_and(|before| before != first));
                let is_certain = changes >= CERTAIN && bits.iter().all(|wins| *wins > 0);
                if is_certain && rivals.is_empty() {
                    break;
                }
                continue;
            }
            let is_plain = |value: &&[u8]| operator == Operator::Product && self.is_unit(value);
            if values.iter().any(|value| *value == result || is_plain(value)) {
                continue;
            }
            let weights: Vec<u32> = values.iter().map(|value| self.weight(value)).collect();
            for (k, bits) in bits.iter_mut().enumerate() {
                let others = weights.iter().enumerate().filter(|(other, _)| *other != k);
                *bits += weights[k].min(others.map(|(_, weight)| *weight).max().unwrap_or(0));
            }
            let certain = bits.iter().filter(|bits| **bits >= CERTAIN).count();
            let is_certain = certain == bits.len() || operator == Operator::Sum && certain > 1;
            if is_certain && rivals.is_empty() {
                break;
            }
        }
        if !rivals.is_empty() {
            return 0;
        }
        bits.sort_unstable();
        let least = bits.first().copied().unwrap_or(0);
        let found = match operator {
            Operator::Sum => bits.iter().rev().nth(1).copied().unwrap_or(0),
            Operator::Product => least,
            Operator::Min | Operator::Max if least > 0 => changes,
            Operator::Min | Operator::Max => 0,
        };
        found.min(CERTAIN)
    }

    /// Whether a number is 1 or -1.
    fn is_unit(self, bytes: &[u8]) -> bool {
        let is = |minus: &[u8], one: &[u8]| bytes == minus || bytes == one;
        match self.number {
            Number::F32 => is(&(-1_f32).to_ne_bytes(), &1_f32.to_ne_bytes()),
            Number::F64 => is(&(-1_f64).to_ne_bytes(), &1_f64.to_ne_bytes()),
            Number::I32 | Number::U32 => is(&(-1_i32).to_ne_bytes(), &1_i32.to_ne_bytes()),
            Number::I64 | Number::U64 => is(&(-1_i64).to_ne_bytes(), &1_i64.to_ne_bytes()),
        }
    }

    fn weight(self, bytes: &[u8]) -> u32 {
        let mut word = [0; 8];
        word[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
        // Little-endian or not: only how many bits there are matters, about.
        match self.number {
            Number::F32 => {
                real(f64::from(f32::from_ne_bytes([word[0], word[1], word[2], word[3]])))
            }
            Number::F64 => real(f64::from_ne_bytes(word)),
            Number::I32 => {
                let value = i32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
                32 - value.unsigned_abs().leading_zeros()
            }
            Number::U32 => {
                32 - u32::from_ne_bytes([word[0], word[1], word[2], word[3]]).leading_zeros()
            }
            Number::I64 => 64 - i64::from_ne_bytes(word).unsigned_abs().leading_zeros(),
            Number::U64 => 64 - u64::from_ne_bytes(word).leading_zeros(),
        }
    }
}

/// Bytes that are combined at a time.
const CHUNK: usize = 1024;

/// Bits of a number: few, where it is a small whole one.
fn real(value: f64) -> u32 {
    let size = value.abs();
    match size {
        // Bits of an integer or an address are often such numbers.
        _ if !size.is_normal() => 0,
        // 0.5 says as little as 1, 0.1 has digits to its end.
        _ if size.fract() != 0.0 => CERTAIN.min(56 - size.to_bits().trailing_zeros().min(52)),
        _ if size >= 65_536.0 => CERTAIN,
        _ if size >= 256.0 => 12,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(name: &str) -> Element {
        Element::of(Basic::by_name(name).unwrap()).unwrap()
    }

    fn bytes(values: &[f64]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_ne_bytes()).collect()
    }

    fn ints(values: &[i32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_ne_bytes()).collect()
    }

    #[test]
    fn sums_are_those_bit_by_bit() {
        let double = element("MPI_DOUBLE");
        let is_sum =
            |sum: &[f64], a: &[u8], b: &[u8]| double.is(Operator::Sum, &bytes(sum), a, &[b]);
        let (a, b) = (bytes(&[0.1, 1e300, -0.0]), bytes(&[0.2, 1e300, -0.0]));
        assert!(is_sum(&[0.1 + 0.2, 2e300, -0.0], &a, &b));
        assert!(!is_sum(&[0.3, 2e300, -0.0], &a, &b), "0.1 + 0.2 is not 0.3");
        assert!(!is_sum(&[0.1 + 0.2, 2e300, 0.0], &a, &b), "the sign of zero");
        assert!(!is_sum(&[0.1, 1e300, 1.0], &bytes(&[0.1, 1e300, 1.0]), &bytes(&[0.0; 3])));
        assert!(!is_sum(&[0.1, 1e300, 1.0], &bytes(&[0.0; 3]), &bytes(&[0.1, 1e300, 1.0])));
        assert!(!is_sum(&[0.1 + 0.2, 2e300, -0.0], &a, &b[..16]));
    }

    #[test]
    fn integers_wrap_and_complex_numbers_have_two_parts() {
        let int = element("MPI_INT");
        let (a, b) = (ints(&[i32::MAX, 2]), ints(&[1, 3]));
        assert!(int.is(Operator::Sum, &ints(&[i32::MIN, 5]), &a, &[&b]));
        assert!(int.is(Operator::Product, &ints(&[i32::MAX, 6]), &a, &[&b]));
        assert!(int.is(Operator::Max, &ints(&[i32::MAX, 3]), &a, &[&b]));
        assert!(int.is(Operator::Min, &ints(&[-1, 2]), &ints(&[-1, 9]), &[&ints(&[4, 2])]));
        let unsigned = element("MPI_UNSIGNED");
        assert!(unsigned.is(Operator::Max, &ints(&[-1, 9]), &ints(&[-1, 2]), &[&ints(&[4, 9])]));
        let complex = element("MPI_C_DOUBLE_COMPLEX");
        assert!(complex.is(
            Operator::Sum,
            &bytes(&[3.0, 5.0]),
            &bytes(&[1.0, 2.0]),
            &[&bytes(&[2.0, 3.0])]
        ));
        assert_eq!(complex.operators(), [Operator::Sum]);
        assert_eq!(Element::of(Basic::by_name("MPI_CHAR").unwrap()), None);
    }

    #[test]
    fn several_operands_are_combined_in_their_order() {
        let double = element("MPI_DOUBLE");
        let values = [1e16, 1.0, -1e16];
        let [a, b, c] = values.map(|v| bytes(&[v; 300]));
        let sum = bytes(&[(values[0] + values[1]) + values[2]; 300]);
        assert!(double.is(Operator::Sum, &sum, &a, &[&b, &c]));
        assert!(!double.is(Operator::Sum, &sum, &a, &[&c, &b]), "1 is not lost that way");
    }

    #[test]
    fn small_whole_numbers_say_little() {
        let (int, double) = (element("MPI_INT"), element("MPI_DOUBLE"));
        let of = |element: Element, a: &[u8], b: &[u8]| element.evidence(Operator::Sum, a, &[b]);
        assert!(of(int, &ints(&[70_000]), &ints(&[1])) < LIKELY);
        assert!(of(double, &bytes(&[3.0]), &bytes(&[1e9])) < 8);
        assert_eq!(of(double, &bytes(&[0.3]), &bytes(&[1e9])), CERTAIN);
        assert_eq!(of(double, &bytes(&[0.5]), &bytes(&[0.25])), 4);
        let address = f64::from_bits(0x7ffc_2c34_0c80);
        assert_eq!(of(double, &bytes(&[address]), &bytes(&[0.3])), 0);
        assert_eq!(of(double, &bytes(&[0.5, 0.0]), &bytes(&[0.0, 0.5])), 0);
        assert_eq!(of(double, &bytes(&[1e300]), &bytes(&[0.5])), 0, "lost in rounding");
        assert_eq!(of(double, &bytes(&[0.5]), &bytes(&[-0.5])), 0, "zeros are everywhere");
        assert_eq!(of(int, &ints(&[9; 16]), &ints(&[7; 16])), CERTAIN);
    }

    /// NAS MG begins with such fields, and sends their faces from one buffer after the other.
    #[test]
    fn fields_of_zeros_and_ones_are_no_products_and_no_extremes() {
        let double = element("MPI_DOUBLE");
        for seed in 0..500 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let mut field = || -> Vec<f64> {
                let few =
                    |_| if rng.u8(0..10) > 0 { 0.0 } else { f64::from(rng.i8(0..2)) * 2.0 - 1.0 };
                (0..100).map(few).collect()
            };
            let (a, b) = (bytes(&field()), bytes(&field()));
            assert_eq!(double.evidence(Operator::Product, &a, &[&b]), 0, "seed {seed}");
        }
        // A third field of them makes a product of two others zero.
        let [a, b] = [0.3, 0.7]
            .map(|salt| bytes(&(0..100).map(|i| f64::from(i) + salt).collect::<Vec<_>>()));
        let zeros = bytes(&[0.0; 100]);
        for operator in [Operator::Product, Operator::Sum] {
            assert_eq!(double.evidence(operator, &a, &[&zeros]), 0);
            assert_eq!(double.evidence(operator, &a, &[&b, &b]), CERTAIN);
        }
        assert_eq!(double.evidence(Operator::Product, &a, &[&b, &zeros]), 0);
        assert_eq!(double.evidence(Operator::Sum, &a, &[&b, &zeros]), CERTAIN);
        assert_eq!(double.evidence(Operator::Sum, &a, &[&zeros, &zeros]), 0);
        let (mut a, mut b) = ([0.0; 100], [0.0; 100]);
        (a[30], b[60]) = (-1.0, -1.0);
        let (a, b) = (bytes(&a), bytes(&b));
        assert!(double.is(Operator::Max, &bytes(&[0.0; 100]), &a, &[&b]));
        assert_eq!(double.evidence(Operator::Max, &a, &[&b]), 0);
    }

    /// As where part of a received message is copied into a buffer.
    #[test]
    fn a_field_that_is_written_anew_in_part_is_no_maximum() {
        let double = element("MPI_DOUBLE");
        for seed in 0..500 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let (n, low) = (rng.usize(2..200), rng.f64());
            let old: Vec<f64> = (0..n).map(|_| low + rng.f64()).collect();
            let (start, end) = (rng.usize(0..n), rng.usize(0..=n));
            let mut came: Vec<f64> = old.iter().map(|v| v - rng.f64()).collect();
            for value in &mut came[start.min(end)..start.max(end)] {
                *value += 1.0;
            }
            let found = double.evidence(Operator::Max, &bytes(&old), &[&bytes(&came)]);
            assert!(found < LIKELY, "seed {seed}: {found}");
        }
    }

    #[test]
    fn what_is_combined_from_random_numbers_is_evident() {
        for seed in 0..500 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let n = rng.usize(1..40);
            let mut random = || bytes(&(0..n).map(|_| rng.f64() - 0.5).collect::<Vec<f64>>());
            let (a, b) = (random(), random());
            let double = element("MPI_DOUBLE");
            let of = |operator| double.evidence(operator, &a, &[&b]);
            assert_eq!(of(Operator::Sum), CERTAIN, "seed {seed}");
            assert_eq!(of(Operator::Product), CERTAIN, "seed {seed}");
            // As many changes as heads that follow tails, and the other way round.
            assert!(n < 24 || of(Operator::Max) >= LIKELY, "seed {seed}: {}", of(Operator::Max));
            assert_eq!(of(Operator::Max), of(Operator::Min), "seed {seed}");
            let whole = |bytes: &[u8]| -> Vec<u8> {
                let words = bytes
                    .chunks_exact(8)
                    .map(|word| i32::from_ne_bytes([0, 1, 2, 3].map(|i| word[i])));
                words.flat_map(i32::to_ne_bytes).collect()
            };
            let int = element("MPI_INT");
            let sum = int.evidence(Operator::Sum, &whole(&a), &[&whole(&b)]);
            assert!(sum >= LIKELY, "seed {seed}: {sum}");
        }
    }

    /// Values of which several operations make the same tell nothing about which it was.
    #[test]
    fn evidence_is_what_no_other_operation_makes() {
        let int = element("MPI_INT");
        let ints = |of: fn(i32) -> i32| (1..200).map(of).flat_map(i32::to_ne_bytes).collect();
        let of = |operator, a: &Vec<u8>, b: &Vec<u8>| int.evidence(operator, a, &[b]);
        // Sets of bits: no bit is in both.
        let [low, high]: [Vec<u8>; 2] = [ints(|i| i & 0xf0), ints(|i| (i & 0xf) << 8 | 0xf)];
        assert_eq!(of(Operator::Sum, &low, &high), 0);
        assert_eq!(of(Operator::Max, &ints(|i| 7 * (i & 1)), &ints(|i| 3 * (i & 2))), 0);
        // Numbers that have bits in common.
        assert_eq!(of(Operator::Sum, &ints(|i| 3 * i + 1), &ints(|i| 7 * i + 5)), CERTAIN);
        // 2 + 2 = 2 * 2.
        let twos: Vec<u8> = ints(|_| 2);
        assert_eq!(of(Operator::Sum, &twos, &twos), 0);
        assert_eq!(of(Operator::Product, &twos, &twos), 0);
    }
}
