//! Plain data as the bytes of a message.

use serde::{Deserialize, Serialize};

use super::GraphsError;

pub(super) fn bytes<T: Serialize>(value: &T) -> Vec<u8> {
    // Plain data of known lengths: nothing that postcard could refuse.
    postcard::to_stdvec(value).unwrap_or_default()
}

pub(super) fn value<T: for<'de> Deserialize<'de>>(
    bytes: &[u8],
    rank: usize,
) -> Result<T, GraphsError> {
    let garbled = |e: postcard::Error| GraphsError::Garbled { rank, reason: e.to_string() };
    postcard::from_bytes(bytes).map_err(garbled)
}
