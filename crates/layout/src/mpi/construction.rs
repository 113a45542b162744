//! Datatypes as programs construct them: a node for every constructor call.

use std::fmt::{self, Display};
use std::sync::Arc;

use super::{contiguous, hvector, indexed, indexed_block, resized, structure, vector};
use crate::{Basic, LayoutError, Type};

/// The calls that make a datatype, with their arguments as in MPI (MPI 4.1, section 5.1.2).
///
/// [`Type`] does not say which constructor made a node. That is right for everything but one
/// question: what a library makes of a certain call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Construction {
    /// A predefined datatype.
    Basic(Basic),
    /// `MPI_Type_contiguous`.
    Contiguous {
        /// Number of copies.
        count: u64,
        /// The repeated type.
        old: Arc<Construction>,
    },
    /// `MPI_Type_vector`.
    Vector {
        /// Number of blocks.
        count: u64,
        /// Elements of a block.
        blocklength: u64,
        /// Distance of blocks, in extents of `old`.
        stride: i64,
        /// The repeated type.
        old: Arc<Construction>,
    },
    /// `MPI_Type_create_hvector`.
    Hvector {
        /// Number of blocks.
        count: u64,
        /// Elements of a block.
        blocklength: u64,
        /// Distance of blocks, in bytes.
        stride: i64,
        /// The repeated type.
        old: Arc<Construction>,
    },
    /// `MPI_Type_indexed`.
    Indexed {
        /// Elements of each block.
        blocklengths: Arc<[u64]>,
        /// Displacement of each block, in extents of `old`.
        displacements: Arc<[i64]>,
        /// The repeated type.
        old: Arc<Construction>,
    },
    /// `MPI_Type_create_indexed_block`.
    IndexedBlock {
        /// Elements of every block.
        blocklength: u64,
        /// Displacement of each block, in extents of `old`.
        displacements: Arc<[i64]>,
        /// The repeated type.
        old: Arc<Construction>,
    },
    /// `MPI_Type_create_struct`.
    Struct {
        /// Elements of each block.
        blocklengths: Arc<[u64]>,
        /// Displacement of each block, in bytes.
        displacements: Arc<[i64]>,
        /// The types of the blocks.
        olds: Arc<[Construction]>,
    },
    /// `MPI_Type_create_resized`.
    Resized {
        /// Lower bound, in bytes.
        lb: i64,
        /// Extent, in bytes.
        extent: i64,
        /// The type that gets these bounds.
        old: Arc<Construction>,
    },
}

impl Construction {
    /// The layout that the calls describe.
    ///
    /// # Errors
    /// Lists of different lengths; overflow; nesting too deep.
    pub fn layout(&self) -> Result<Type, LayoutError> {
        match self {
            Construction::Basic(basic) => Ok(Type::leaf(*basic)),
            Construction::Contiguous { count, old } => contiguous(*count, &old.layout()?),
            Construction::Vector { count, blocklength, stride, old } => {
                vector(*count, *blocklength, *stride, &old.layout()?)
            }
            Construction::Hvector { count, blocklength, stride, old } => {
                hvector(*count, *blocklength, *stride, &old.layout()?)
            }
            Construction::Indexed { blocklengths, displacements, old } => {
                indexed(blocklengths, displacements, &old.layout()?)
            }
            Construction::IndexedBlock { blocklength, displacements, old } => {
                indexed_block(*blocklength, displacements, &old.layout()?)
            }
            Construction::Struct { blocklengths, displacements, olds } => {
                let olds = olds.iter().map(Construction::layout).collect::<Result<Vec<_>, _>>()?;
                structure(blocklengths, displacements, &olds)
            }
            Construction::Resized { lb, extent, old } => resized(*lb, *extent, &old.layout()?),
        }
    }

    /// Entries of all lists in the calls: what a library has to look at.
    #[must_use]
    pub fn list_entries(&self) -> usize {
        match self {
            Construction::Basic(_) => 0,
            Construction::Contiguous { old, .. }
            | Construction::Vector { old, .. }
            | Construction::Hvector { old, .. }
            | Construction::Resized { old, .. } => old.list_entries(),
            Construction::Indexed { displacements, old, .. } => {
                2 * displacements.len() + old.list_entries()
            }
            Construction::IndexedBlock { displacements, old, .. } => {
                displacements.len() + old.list_entries()
            }
            Construction::Struct { displacements, olds, .. } => {
                3 * displacements.len() + olds.iter().map(Construction::list_entries).sum::<usize>()
            }
        }
    }

    /// The text with lists of more than `longest` entries cut: after `longest` of them stand `...`
    /// and how many there are.
    #[must_use]
    pub fn shortened(&self, longest: usize) -> impl Display {
        Shortened { construction: self, longest }
    }
}

/// The [text notation](crate::text), which reads it back as [`Construction::layout`].
impl Display for Construction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Shortened { construction: self, longest: usize::MAX }.fmt(f)
    }
}

struct Shortened<'c> {
    construction: &'c Construction,
    longest: usize,
}

impl Shortened<'_> {
    fn list<'l, T: Display>(&self, list: &'l [T]) -> List<'l, T> {
        List { list, longest: self.longest }
    }
}

impl Display for Shortened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = |construction| Shortened { construction, longest: self.longest };
        match self.construction {
            Construction::Basic(basic) => f.write_str(basic.name()),
            Construction::Contiguous { count, old } => {
                write!(f, "contiguous({count}, {})", inner(old))
            }
            Construction::Vector { count, blocklength, stride, old } => {
                write!(f, "vector({count}, {blocklength}, {stride}, {})", inner(old))
            }
            Construction::Hvector { count, blocklength, stride, old } => {
                write!(f, "hvector({count}, {blocklength}, {stride}, {})", inner(old))
            }
            Construction::Indexed { blocklengths, displacements, old } => {
                let (blocks, places) = (self.list(blocklengths), self.list(displacements));
                write!(f, "indexed({blocks}, {places}, {})", inner(old))
            }
            Construction::IndexedBlock { blocklength, displacements, old } => {
                let places = self.list(displacements);
                write!(f, "indexed_block({blocklength}, {places}, {})", inner(old))
            }
            Construction::Struct { blocklengths, displacements, olds } => {
                let olds: Vec<_> = olds.iter().map(inner).collect();
                let (blocks, places) = (self.list(blocklengths), self.list(displacements));
                write!(f, "struct({blocks}, {places}, {})", self.list(&olds))
            }
            Construction::Resized { lb, extent, old } => {
                write!(f, "resized({lb}, {extent}, {})", inner(old))
            }
        }
    }
}

/// `<1, 2, 3>`, or `<1, 2, ... of 640000>`.
struct List<'l, T> {
    list: &'l [T],
    longest: usize,
}

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<")?;
        for (k, item) in self.list.iter().take(self.longest).enumerate() {
            f.write_str(if k == 0 { "" } else { ", " })?;
            item.fmt(f)?;
        }
        if self.list.len() > self.longest {
            write!(f, ", ... of {}", self.list.len())?;
        }
        f.write_str(">")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    fn samples() -> Vec<Construction> {
        let int = Arc::new(Construction::Basic(Basic::INT));
        let tiled = Construction::Resized {
            lb: 0,
            extent: 16,
            old: Arc::new(Construction::Contiguous { count: 2, old: int.clone() }),
        };
        vec![
            (*int).clone(),
            tiled.clone(),
            Construction::Vector { count: 3, blocklength: 2, stride: 4, old: int.clone() },
            Construction::Hvector {
                count: 3,
                blocklength: 1,
                stride: 40,
                old: Arc::new(tiled.clone()),
            },
            Construction::Indexed {
                blocklengths: [1, 3, 2].into(),
                displacements: [0, 4, 9].into(),
                old: int.clone(),
            },
            Construction::IndexedBlock {
                blocklength: 2,
                displacements: [0, 3, 8].into(),
                old: int.clone(),
            },
            Construction::Struct {
                blocklengths: [2, 1].into(),
                displacements: [0, 32].into(),
                olds: [tiled, Construction::Basic(Basic::DOUBLE)].into(),
            },
        ]
    }

    #[test]
    fn the_text_is_read_back_as_the_layout() {
        for sample in samples() {
            assert_eq!(text::parse(&sample.to_string()), Ok(sample.layout().unwrap()), "{sample}");
        }
    }

    #[test]
    fn long_lists_are_cut() {
        let sample = &samples()[4];
        let short = sample.shortened(2).to_string();
        assert_eq!(short, "indexed(<1, 3, ... of 3>, <0, 4, ... of 3>, MPI_INT)");
        assert_eq!(sample.shortened(3).to_string(), sample.to_string());
        assert_eq!((sample.list_entries(), samples()[6].list_entries()), (6, 6));
    }
}
