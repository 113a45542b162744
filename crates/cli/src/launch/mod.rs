//! Finding out what a program needs, and running it with it.

mod abi;
mod elf;
mod preload;
mod program;
mod settings;
mod start;
mod together;

pub use abi::Abi;
pub use elf::{abi_of, check_dynamic, loads_later};
pub use preload::find as find_preload;
pub use program::find as find_program;
pub use settings::{checked, started};
pub use start::{preloaded, replaced_by};
pub use together::{Voice, end_alone, voice};
