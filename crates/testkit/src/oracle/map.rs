//! The flattened type map with bounds markers, as MPI defines bounds (MPI 4.1, 5.1.6 to 5.1.8).

use commloom_layout::{Basic, Kind, Type};

/// An entry of a type map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// A basic element.
    Element(Basic),
    /// An explicit lower bound.
    LowerBound,
    /// An explicit upper bound.
    UpperBound,
}

/// A type map: items with displacements in bytes, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Map(pub Vec<(Item, i64)>);

impl Map {
    /// The map of a type, by literal recursion over its nodes.
    #[must_use]
    pub fn of(ty: &Type) -> Map {
        match ty.kind() {
            Kind::Leaf(basic) => Map(vec![(Item::Element(*basic), 0)]),
            Kind::Vec { count, stride, child } => {
                let child = Map::of(child);
                (0..*count).map(|k| child.at(int(k) * stride)).collect()
            }
            Kind::Idx { indices, child } => {
                let child = Map::of(child);
                indices.iter().map(|&i| child.at(i)).collect()
            }
            Kind::IdxBuc { stride, indices, blocks, child } => {
                let child = Map::of(child);
                let bucket = |(&i, &b): (&i64, &u64)| (0..b).map(move |k| i + int(k) * stride);
                indices.iter().zip(blocks.iter()).flat_map(bucket).map(|d| child.at(d)).collect()
            }
            Kind::Strc { indices, children } => {
                indices.iter().zip(children.iter()).map(|(&i, c)| Map::of(c).at(i)).collect()
            }
            Kind::Resized { lb, extent, child } => Map::of(child).resized(*lb, *extent),
        }
    }

    /// This map, moved.
    #[must_use]
    pub fn at(&self, displacement: i64) -> Map {
        Map(self.0.iter().map(|&(item, d)| (item, d + displacement)).collect())
    }

    /// This map with its markers replaced by these bounds.
    #[must_use]
    pub fn resized(&self, lb: i64, extent: i64) -> Map {
        let elements = self.0.iter().copied().filter(|(i, _)| matches!(i, Item::Element(_)));
        Map(elements.chain([(Item::LowerBound, lb), (Item::UpperBound, lb + extent)]).collect())
    }

    /// The basic elements, in order.
    pub fn elements(&self) -> impl Iterator<Item = (Basic, i64)> {
        self.0.iter().filter_map(|&(item, d)| match item {
            Item::Element(basic) => Some((basic, d)),
            _ => None,
        })
    }

    /// Lower and upper bound. An empty map without markers has the bounds 0 and 0.
    #[must_use]
    pub fn bounds(&self) -> (i64, i64) {
        let markers = |which| self.0.iter().filter(move |(i, _)| *i == which).map(|&(_, d)| d);
        let low = self.elements().map(|(_, d)| d).min().unwrap_or(0);
        let high = self.elements().map(|(b, d)| d + int(b.size())).max().unwrap_or(0);
        let align = self.elements().map(|(b, _)| int(b.align())).max().unwrap_or(1);
        let lb = markers(Item::LowerBound).min().unwrap_or(low);
        let ub = markers(Item::UpperBound).max().unwrap_or_else(|| {
            let mut padded = high;
            while (padded - lb) % align != 0 {
                padded += 1;
            }
            padded
        });
        (lb, ub)
    }

    /// Upper minus lower bound.
    #[must_use]
    pub fn extent(&self) -> i64 {
        let (lb, ub) = self.bounds();
        ub - lb
    }
}

impl FromIterator<Map> for Map {
    fn from_iter<I: IntoIterator<Item = Map>>(parts: I) -> Map {
        Map(parts.into_iter().flat_map(|m| m.0).collect())
    }
}

fn int(n: u64) -> i64 {
    i64::try_from(n).expect("small")
}
