//! Date and time for files and pages.

use std::time::{SystemTime, UNIX_EPOCH};

/// Date and time in UTC (RFC 3339). Days to date: the era-based algorithm for the proleptic
/// Gregorian calendar, with years that begin in March.
#[must_use]
pub fn utc(now: SystemTime) -> String {
    let seconds = now.duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (days, time) = (seconds / 86_400, seconds % 86_400);
    // 719468 days from 0000-03-01 to 1970-01-01; an era has 400 years, 146097 days.
    let (era, day) = ((days + 719_468) / 146_097, (days + 719_468) % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month_name) = (day - (153 * month + 2) / 5 + 1, month % 12 + 3);
    let (month_name, next) = if month_name > 12 { (month_name - 12, 1) } else { (month_name, 0) };
    let year = 400 * era + year + next;
    format!(
        "{year:04}-{month_name:02}-{day:02}T{:02}:{:02}:{:02}Z",
        time / 3600,
        time / 60 % 60,
        time % 60
    )
}

/// The same without seconds, for pages: `2026-11-21 06:04 UTC`.
#[must_use]
pub fn minute(now: SystemTime) -> String {
    let text = utc(now);
    format!("{} UTC", text.get(..16).unwrap_or(&text).replacen('T', " ", 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn seconds_become_dates() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (1_767_225_600, "2026-01-01T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
        let last = UNIX_EPOCH + Duration::from_secs(1_767_225_599);
        assert_eq!(minute(last), "2025-12-31 23:59 UTC");
    }
}
