//! Communication graphs: an executor too simple to be wrong, and random graphs.

pub mod execute;
pub mod random;
