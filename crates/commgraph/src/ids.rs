//! The numbers that name things, each a type of its own.

use std::fmt;

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident($inner:ty);)*) => {$(
        $(#[$doc])*
        #[derive(
            Debug,
            Clone,
            Copy,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            Default,
            serde::Serialize,
            serde::Deserialize,
        )]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

numbers! {
    /// A process, by its number in the graph: `0..processes`.
    Process(u32);
    /// An address in the memory of one process, in bytes.
    Address(u64);
    /// A length in bytes.
    Bytes(u64);
    /// The tag of a message.
    Tag(i32);
    /// A communicator: messages of different ones never match. Processes are numbered the same in
    /// all.
    Communicator(u32);
}

/// The layout of a typed buffer, by its number in the graph
/// ([`Graph::layout`](crate::Graph::layout)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LayoutId(pub(crate) u32);
