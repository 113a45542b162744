//! Terms of the model, and how often a layout has each.

use commloom_layout::{CostModel, Type};

/// The terms, in the order of [`of`].
pub const NAMES: [&str; 10] =
    ["call", "gaps", "byte", "block", "leaf", "vec", "idx", "idxbuc", "strc", "lookup"];

/// So many of them, in front, are equal for all descriptions of one layout.
pub const SHARED: usize = 4;

/// Place of a term.
pub fn index(name: &str) -> Option<usize> {
    NAMES.iter().position(|n| *n == name)
}

/// How often a layout has each term.
pub fn of(ty: &Type) -> Vec<f64> {
    let of_model = |name: &str| {
        // A constant counts how often it occurs if it alone costs something: two models that
        // differ in it by one, as no constant may be zero.
        let one = ones();
        let mut two = one;
        two.set(name, 2).expect("a constant of the model");
        real(two.cost(ty) - one.cost(ty))
    };
    let gaps = if ty.runs() > 1 { 1.0 } else { 0.0 };
    let shared = [1.0, gaps, real(ty.size()), real(ty.runs())];
    shared.into_iter().chain(NAMES[SHARED..].iter().map(|name| of_model(name))).collect()
}

fn ones() -> CostModel {
    let mut ones = CostModel::default();
    for name in &NAMES[SHARED..] {
        ones.set(name, 1).expect("a constant of the model");
    }
    ones
}

/// A count as a real number; the layouts here are small.
pub fn real(n: u64) -> f64 {
    u32::try_from(n).map_or(f64::INFINITY, f64::from)
}

/// The nearest whole number, from 1 to a million: more than any library differs by.
pub fn whole(x: f64) -> u64 {
    const MOST: u32 = 1_000_000;
    let rounded = x.round().clamp(1.0, f64::from(MOST));
    // Bisection instead of a cast, which would cut silently.
    let (mut low, mut high) = (1, MOST);
    while low < high {
        let middle = low.midpoint(high);
        if f64::from(middle) < rounded { low = middle + 1 } else { high = middle }
    }
    u64::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_counted_as_the_cost_model_counts() {
        let ty: Type =
            "strc(<0,400>, <vec(4, 10, idx(<0,2,5>, MPI_CHAR)), idxbuc(8, <0,20>, <2,3>, MPI_INT)>)"
                .parse()
                .unwrap();
        let terms = of(&ty);
        // 12 bytes of MPI_CHAR in 12 runs, 5 ints: 8 apart in 5 runs; lists of 4 + 3 + 4 entries.
        assert_eq!(terms, [1.0, 1.0, 32.0, 17.0, 2.0, 1.0, 1.0, 1.0, 1.0, 11.0]);
    }

    #[test]
    fn whole_numbers_are_the_nearest_from_1_to_a_million() {
        let cases = [(0.2, 1), (1.49, 1), (1.5, 2), (17.0, 17), (1e9, 1_000_000), (-3.0, 1)];
        for (real, expected) in cases {
            assert_eq!(whole(real), expected, "{real}");
        }
        assert_eq!(whole(f64::NAN), 1);
    }
}
