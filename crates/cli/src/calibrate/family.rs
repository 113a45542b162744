//! The layouts that are timed.

use commloom_layout::{Basic, LayoutError, Type};

/// A layout and what it is called in reports.
pub struct Case {
    /// Name.
    pub name: String,
    /// The layout.
    pub ty: Type,
}

/// Distance of neighbouring blocks in bytes, at least: no two are adjacent, so that libraries
/// cannot join them.
const STEP: i64 = 24;

/// Lists of different lengths over the same blocks, nests over the same blocks, blocks of
/// different sizes. About a hundred.
pub fn family() -> Vec<Case> {
    build().expect("small numbers")
}

fn build() -> Result<Vec<Case>, LayoutError> {
    let mut cases = Vec::new();
    let mut add = |name: String, ty: Type| cases.push(Case { name, ty });
    let int = Type::leaf(Basic::INT);
    for basic in [Basic::BYTE, Basic::INT, Basic::DOUBLE] {
        add(format!("one {basic}"), Type::leaf(basic));
    }
    for basic in [Basic::INT, Basic::DOUBLE] {
        for n in [2, 4, 8, 16, 32, 64] {
            let leaf = Type::leaf(basic);
            add(format!("vec of {n} {basic}"), vec(n, &leaf)?);
            add(format!("idx of {n} {basic}"), idx(n, &leaf)?);
        }
    }
    for n in [2, 4, 8, 16, 32] {
        add(format!("strc of {n} MPI_INT"), strc(n, &int)?);
        for buckets in [2, 4, 8, 16] {
            if buckets <= n {
                add(format!("idxbuc of {n} in {buckets}"), idxbuc(buckets, n / buckets, &int)?);
            }
        }
    }
    // Larger blocks at the same number of blocks.
    for block in [4, 16, 64] {
        let child = Type::vec(block, int.extent(), int.clone())?;
        for n in [4, 16] {
            add(format!("vec of {n} blocks of {block}"), vec(n, &child)?);
            add(format!("idx of {n} blocks of {block}"), idx(n, &child)?);
        }
    }
    // Every constructor over every other, twice and four times.
    type Constructor = fn(u64, &Type) -> Result<Type, LayoutError>;
    let constructors: [(&str, Constructor); 4] =
        [("vec", vec), ("idx", idx), ("idxbuc", |n, child| idxbuc(n, 2, child)), ("strc", strc)];
    for (outer_name, outer) in constructors {
        for (inner_name, inner) in constructors {
            for (n, m) in [(2, 4), (4, 4), (2, 8)] {
                add(format!("{outer_name} {n} of {inner_name} {m}"), outer(n, &inner(m, &int)?)?);
            }
        }
    }
    add("three vecs".to_owned(), vec(2, &vec(2, &vec(4, &int)?)?)?);
    add("three idxs".to_owned(), idx(2, &idx(2, &idx(4, &int)?)?)?);
    Ok(cases)
}

/// Copies at equal distances.
fn vec(n: u64, child: &Type) -> Result<Type, LayoutError> {
    Type::vec(n, step(child), child.clone())
}

/// Copies at distances of which no two neighbouring ones are equal.
fn idx(n: u64, child: &Type) -> Result<Type, LayoutError> {
    Type::idx(irregular(n, step(child)), child.clone())
}

/// Buckets of `length` copies at equal distances, the buckets at unequal ones. Their lengths
/// differ by none, as MPI's indexed type costs the same for all.
fn idxbuc(buckets: u64, length: u64, child: &Type) -> Result<Type, LayoutError> {
    let stride = step(child);
    let bucket = i64::try_from(length).unwrap_or(i64::MAX).saturating_mul(stride);
    let lengths = std::iter::repeat_n(length, usize::try_from(buckets).unwrap_or(0));
    let lengths: Vec<u64> = lengths.collect();
    Type::idxbuc(stride, irregular(buckets, bucket), lengths, child.clone())
}

fn strc(n: u64, child: &Type) -> Result<Type, LayoutError> {
    let indices = irregular(n, step(child));
    let children = vec![child.clone(); indices.len()];
    Type::strc(indices, children)
}

fn step(child: &Type) -> i64 {
    child.true_extent() + STEP
}

/// `n` ascending indices, at least `step` apart: the distances grow, shrink, grow.
fn irregular(n: u64, step: i64) -> Vec<i64> {
    let more = [0, 8, 32, 16, 48, 24].into_iter().cycle();
    let steps = more.scan(0, |at, more| {
        let here = *at;
        *at += step + more;
        Some(here)
    });
    steps.take(usize::try_from(n).unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn layouts_have_different_names_lie_in_the_first_cache_and_join_no_blocks() {
        let cases = family();
        let names: HashSet<&str> = cases.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names.len(), cases.len());
        assert!((80..150).contains(&cases.len()), "{}", cases.len());
        for Case { name, ty } in &cases {
            assert!(ty.true_extent() < 16_384, "{name}: {}", ty.true_extent());
            assert!(ty.true_lb() == 0 && ty.elements() > 0, "{name}");
        }
    }
}
