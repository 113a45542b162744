//! Numbers as people read them.

/// `1.25 ms`: three digits and a unit.
pub fn time(nanoseconds: u64) -> String {
    scaled(nanoseconds, &[("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)])
}

/// `1.25 MB`, in powers of 1000.
pub fn bytes(n: u64) -> String {
    let units = [
        ("bytes", 1),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
    ];
    scaled(n, &units)
}

fn scaled(n: u64, units: &[(&str, u64)]) -> String {
    let fits = |unit: &&(&str, u64)| n >= unit.1;
    let Some((name, size)) = units.iter().rev().find(fits).or(units.first()) else {
        return n.to_string();
    };
    let (whole, hundredths) = (n / size, n % size * 100 / size);
    match whole {
        _ if *size == 1 => format!("{n} {name}"),
        0..10 => format!("{whole}.{hundredths:02} {name}"),
        10..100 => format!("{whole}.{} {name}", hundredths / 10),
        _ => format!("{whole} {name}"),
    }
}

/// Time saved or lost.
pub fn saved(nanoseconds: i128) -> String {
    let size = time(u64::try_from(nanoseconds.unsigned_abs()).unwrap_or(u64::MAX));
    match nanoseconds {
        0 => "no time saved or lost".to_owned(),
        1.. => format!("{size} saved"),
        _ => format!("{size} lost"),
    }
}

/// `31.4 %`: the size of a part of a whole.
pub fn percent(part: i128, whole: u64) -> String {
    let permille = part.unsigned_abs().saturating_mul(1000) / u128::from(whole.max(1));
    format!("{}.{} %", permille / 10, permille % 10)
}

/// Thousandths that a part is of a whole.
pub fn permille(part: u64, whole: u64) -> u64 {
    let of = u128::from(part) * 1000 / u128::from(whole.max(1));
    u64::try_from(of).unwrap_or(1000).min(1000)
}

/// `1,234,567`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_are_shown() {
        assert_eq!([time(0), time(999), time(1_234)], ["0 ns", "999 ns", "1.23 us"]);
        assert_eq!([time(12_345_678), time(u64::MAX)], ["12.3 ms", "18446744073 s"]);
        assert_eq!([bytes(123), bytes(123_456)], ["123 bytes", "123 kB"]);
    }

    #[test]
    fn differences_have_words() {
        assert_eq!(
            [saved(1500), saved(-20), saved(0)],
            ["1.50 us saved", "20 ns lost", "no time saved or lost"]
        );
    }

    #[test]
    fn shares_and_groups() {
        assert_eq!([permille(1, 3), permille(0, 0), permille(u64::MAX, u64::MAX)], [333, 0, 1000]);
        assert_eq!([grouped(0), grouped(999), grouped(1_234_567)], ["0", "999", "1,234,567"]);
    }
}
