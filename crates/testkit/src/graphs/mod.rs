//! Communication graphs: an executor too simple to be wrong, random graphs, and the algorithms of
//! the textbooks.

pub mod campaign;
pub mod execute;
pub mod interleave;
pub mod meaning;
pub mod msccl;
pub mod random;
pub mod schedule;
pub mod site;
pub mod textbook;
