//! Columns of numbers as text that a script reads quickly: differences from one to the next,
//! zigzag, seven bits a byte, base64. A message takes some 10 characters.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Beyond this a script's numbers are not exact.
const EXACT: u64 = 1 << 53;

/// A column. Numbers beyond 2^53 become that.
pub fn column(numbers: impl IntoIterator<Item = u64>) -> String {
    let mut bytes = Vec::new();
    let mut last = 0_i64;
    for number in numbers {
        let number = number.min(EXACT).cast_signed();
        let difference = number - last;
        last = number;
        let mut coded = (difference << 1 ^ difference >> 63).cast_unsigned();
        while coded >= 0x80 {
            bytes.push(coded.to_le_bytes()[0] | 0x80);
            coded >>= 7;
        }
        bytes.push(coded.to_le_bytes()[0]);
    }
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads numbers as the page's script does.
    fn numbers(text: &str) -> Vec<i64> {
        let (mut all, mut last, mut value, mut place) = (Vec::new(), 0, 0_i64, 1_i64);
        for byte in STANDARD.decode(text).unwrap() {
            value += i64::from(byte & 0x7f) * place;
            place *= 128;
            if byte & 0x80 == 0 {
                last += if value % 2 == 0 { value / 2 } else { -(value + 1) / 2 };
                all.push(last);
                (value, place) = (0, 1);
            }
        }
        all
    }

    #[test]
    fn numbers_come_back() {
        let all = [0, 1, 5, 4, 300, 0, 1 << 40, 7, EXACT, 0, u64::MAX];
        let back = numbers(&column(all));
        let expected: Vec<i64> = all.iter().map(|n| (*n).min(EXACT).cast_signed()).collect();
        assert_eq!(back, expected);
        assert_eq!(column([]), "");
    }
}
