//! The one text notation, both ways.
//!
//! The core is that of the papers; every MPI constructor can be written too, and is reduced to the
//! core when it is read (see [`crate::mpi`] for its units):
//!
//! ```text
//! type   = BASIC                                 MPI_INT, and pair types such as MPI_DOUBLE_INT
//!        | leaf(BASIC)
//!        | vec(count, stride, type)              strides and indices of the core in bytes
//!        | idx(<index, ...>, type)
//!        | idxbuc(stride, <index, ...>, <block, ...>, type)
//!        | bucket(distance, stride, <block, ...>, type)
//!                                               idxbuc(stride, <0, distance, ...>, ...)
//!        | triangular(count, distance, stride, first, change, type)
//!                                               bucket of blocks first, first + change, ...
//!        | strc(<index, ...>, <type, ...>)
//!        | resized(lb, extent, type)             bytes
//!        | contiguous(count, type)
//!        | vector(count, block, stride, type)    stride in extents of the old type
//!        | hvector(count, block, stride, type)   stride in bytes
//!        | indexed(<block, ...>, <displacement, ...>, type)
//!        | hindexed(<block, ...>, <displacement, ...>, type)
//!        | indexed_block(block, <displacement, ...>, type)
//!        | hindexed_block(block, <displacement, ...>, type)
//!        | struct(<block, ...>, <displacement, ...>, <type, ...>)
//!        | subarray(<size, ...>, <subsize, ...>, <start, ...>, C|Fortran, type)
//!        | darray(size, rank, <gsize, ...>, <distribution, ...>, <psize, ...>, C|Fortran, type)
//!        | dup(type)
//! distribution = none | block | block(size) | cyclic | cyclic(size)
//! ```
//!
//! White space and line ends are free; `#` starts a comment that ends with the line. Printing
//! gives the core form, and what was printed is read back as an equal type.

mod args;
mod constructors;
mod error;
mod lexer;
mod list;
mod parser;
mod printer;
mod suggest;

pub use error::{ParseError, Problem};
pub use list::parse_displacements;
pub use parser::parse;
pub use printer::pretty;
pub use suggest::did_you_mean;
