//! The layer that makes messages of derived datatypes faster: what is known of the program's
//! datatypes and requests, and what the library gets instead of them.

pub(crate) mod accelerator;
pub(crate) mod arguments;
pub(crate) mod blocks;
pub(crate) mod collective_plan;
pub(crate) mod committed;
pub(crate) mod complete;
pub(crate) mod departure;
pub(crate) mod element;
pub(crate) mod engine;
pub(crate) mod exchange;
pub(crate) mod freed;
pub(crate) mod grain;
pub(crate) mod incoming;
pub(crate) mod keyval;
pub(crate) mod landing;
pub(crate) mod layouts;
pub(crate) mod lookup;
pub(crate) mod lossy;
pub(crate) mod made;
pub(crate) mod message;
pub(crate) mod normalized;
pub(crate) mod notes;
pub(crate) mod outgoing;
pub(crate) mod part;
pub(crate) mod pending;
pub(crate) mod persistent;
pub(crate) mod plain;
pub(crate) mod repeated;
pub(crate) mod rest;
pub(crate) mod rounds;
pub(crate) mod rows;
pub(crate) mod stand_in;
pub(crate) mod strategy;
pub(crate) mod tally;
