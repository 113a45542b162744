//! Readers of graphs that others wrote.

pub mod goal;
