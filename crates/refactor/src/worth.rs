//! Whether a datatype is worth its making.

use commloom_proof::Part;

use crate::emit::Text;

/// Bytes in several variables that are copied sooner than a datatype of their addresses is made:
/// for two to eight of them that takes 0.14 to 0.3 us with MPICH 4.0.2 and Open MPI 4.1.4, to copy
/// them 0.004 us, and both libraries copy them once more.
const FEW_BYTES: i64 = 64;

/// A sentence where the copies are the better text.
pub(crate) fn is_worth_it(part: &Part, text: &Text) -> Result<(), String> {
    let few = part.packing.length.as_constant().filter(|bytes| *bytes <= FEW_BYTES);
    match few.filter(|_| text.buffer == "MPI_BOTTOM") {
        Some(bytes) => Err(format!(
            "these {bytes} bytes lie in several variables: to make a datatype of their addresses \
             for each message takes longer than to copy them"
        )),
        None => Ok(()),
    }
}
