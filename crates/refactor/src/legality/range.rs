//! Condition 2: the call sends exactly the bytes that were packed, or receives those that are unpacked.

use crate::copies::{Direction, Packing};
use crate::refusal::{Code, Refusal};

use super::find::Found;
use super::model::Ledger;

/// Compares both ranges as polynomials.
pub(super) fn exact(
    found: &Found<'_>,
    packing: &Packing,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let (code, what) = match found.side.direction {
        Direction::Pack => (Code::Range, "packed"),
        Direction::Unpack => (Code::ReceiveCount, "unpacked"),
    };
    if packing.start != packing.sent_start {
        let message = format!("the call begins at another byte of the buffer than what is {what}");
        return Err(Refusal::new(code, found.buffer.span, message));
    }
    match &packing.sent_length {
        Some(length) if *length == packing.length => Ok(()),
        Some(length) => {
            let message =
                format!("the call is for {length} bytes, but {} bytes are {what}", packing.length);
            let fact = format!("{length} is {}", packing.length);
            ledger.need(code, found.count.span, message, fact)
        }
        None => {
            let message = format!(
                "how many elements the call is for is not known; {} bytes are {what}",
                packing.length
            );
            let fact = format!("the call is for {} bytes", packing.length);
            ledger.need(code, found.count.span, message, fact)
        }
    }
}
