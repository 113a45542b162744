//! Processes as the points of a Cartesian grid.

/// A grid of processes, numbered as `MPI_Cart_create` does (MPI 4.1, section 8.5): the last
/// dimension runs fastest.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Grid {
    /// How many processes there are in each dimension.
    pub dims: Vec<u32>,
    /// Whether the first and the last of a dimension are neighbours.
    pub periodic: Vec<bool>,
}

impl Grid {
    /// The number of processes; `None` past 2^32.
    #[must_use]
    pub fn processes(&self) -> Option<u32> {
        self.dims.iter().try_fold(1_u32, |all, n| all.checked_mul(*n))
    }

    /// The rank that is `offset` away from a rank; `None` past the border of a dimension that is
    /// not periodic.
    #[must_use]
    pub fn neighbor(&self, rank: u32, offset: &[i32]) -> Option<u32> {
        let mut rest = rank;
        let (mut found, mut stride) = (0, 1);
        for (k, n) in self.dims.iter().enumerate().rev() {
            let place = i64::from(rest % n) + i64::from(offset[k]);
            rest /= n;
            let inside = match self.periodic[k] {
                true => place.rem_euclid(i64::from(*n)),
                false => place,
            };
            let inside = u32::try_from(inside).ok().filter(|place| place < n)?;
            found += inside * stride;
            stride *= n;
        }
        Some(found)
    }

    /// Where a rank lies in each dimension.
    #[must_use]
    pub fn coordinates(&self, rank: u32) -> Vec<u32> {
        let mut rest = rank;
        let mut place = vec![0; self.dims.len()];
        for (place, n) in place.iter_mut().zip(&self.dims).rev() {
            *place = rest % n;
            rest /= n;
        }
        place
    }
}
