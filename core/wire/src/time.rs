//! Time in integer milliseconds: points ([`Timestamp`]) and distances ([`Span`]).
//!
//! On the wire a point is RFC 3339 in UTC with three decimals and `Z`, a distance an integer named `…_ms`.

use crate::text::deserialize_text;
use core::fmt;
use core::ops::{Add, Sub};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const MILLIS_PER_DAY: i64 = 86_400_000;

/// A point in time, in milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

/// A distance in time, in milliseconds; never negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(u64);

impl Timestamp {
    /// The point `millis` milliseconds after the epoch.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// How long after `earlier` this is; zero if it is not after it.
    #[must_use]
    pub fn since(self, earlier: Self) -> Span {
        Span(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// The UTC calendar day, as a count of days since the epoch.
    #[must_use]
    pub const fn utc_day(self) -> i64 {
        self.0.div_euclid(MILLIS_PER_DAY)
    }

    /// Year, month (1-12) and day (1-31) in UTC, by the proleptic Gregorian calendar.
    #[must_use]
    pub const fn utc_date(self) -> (i64, i64, i64) {
        // Days are counted from 0000-03-01, so that the leap day is the last of its year and month lengths
        // follow one linear formula.
        let days = self.utc_day() + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
        (year, month, day)
    }

    /// Reads exactly the form that `Display` writes, for years 0000 to 9999; anything else is `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let field = |from: usize, to: usize| -> Option<i64> {
            let digits = text.get(from..to)?;
            if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
        };
        let (year, month, day) = (field(0, 4)?, field(5, 7)?, field(8, 10)?);
        let (hour, minute, second, milli) = (field(11, 13)?, field(14, 16)?, field(17, 19)?, field(20, 23)?);
        let shifted_year = year - i64::from(month <= 2);
        let shifted_month = if month > 2 { month - 3 } else { month + 9 };
        let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
        let days = shifted_year * 365 + shifted_year.div_euclid(4) - shifted_year.div_euclid(100)
            + shifted_year.div_euclid(400)
            + day_of_year
            - 719_468;
        let time = Self(days * MILLIS_PER_DAY + ((hour * 60 + minute) * 60 + second) * 1_000 + milli);
        // Writing the parsed time and comparing also refuses wrong separators, 30 February and 25 o'clock.
        (time.text()? == *text.as_bytes()).then_some(time)
    }
}

impl Add<Span> for Timestamp {
    type Output = Self;

    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.0).unwrap_or(i64::MAX)))
    }
}

impl Sub<Span> for Timestamp {
    type Output = Self;

    fn sub(self, span: Span) -> Self {
        Self(self.0.saturating_sub(i64::try_from(span.0).unwrap_or(i64::MAX)))
    }
}

impl Span {
    /// The empty span.
    pub const ZERO: Self = Self(0);

    /// `millis` milliseconds.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// `seconds` seconds.
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1_000))
    }

    /// In milliseconds.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// This span minus `other`; zero if `other` is longer.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Span {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text() {
            Some(text) => out.write_str(core::str::from_utf8(&text).map_err(|_| fmt::Error)?),
            None => {
                let (year, month, day) = self.utc_date();
                let [hour, minute, second, milli] = self.time_of_day();
                write!(out, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
            }
        }
    }
}

impl Timestamp {
    /// Hour, minute, second and millisecond in UTC.
    const fn time_of_day(self) -> [i64; 4] {
        let millis = self.0.rem_euclid(MILLIS_PER_DAY);
        [millis / 3_600_000, millis / 60_000 % 60, millis / 1_000 % 60, millis % 1_000]
    }

    /// The written form of a time in the years 0000 to 9999.
    fn text(self) -> Option<[u8; 24]> {
        let (year, month, day) = self.utc_date();
        if !(0..=9_999).contains(&year) {
            return None;
        }
        let [hour, minute, second, milli] = self.time_of_day();
        // Every fact and every leaf holds several times, and the general way to write a number costs ten times as much.
        let mut text = *b"0000-00-00T00:00:00.000Z";
        for (place, number) in [
            (0..4, year),
            (5..7, month),
            (8..10, day),
            (11..13, hour),
            (14..16, minute),
            (17..19, second),
            (20..23, milli),
        ] {
            let mut rest = number;
            for digit in text.get_mut(place).unwrap_or_default().iter_mut().rev() {
                *digit += u8::try_from(rest % 10).unwrap_or(0);
                rest /= 10;
            }
        }
        Some(text)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ms", self.0)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return self.0.serialize(serializer);
        }
        let text = self.text();
        match text.as_ref().and_then(|text| core::str::from_utf8(text).ok()) {
            Some(text) => serializer.serialize_str(text),
            None => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return i64::deserialize(deserializer).map(Self);
        }
        deserialize_text(deserializer, Self::parse, "not a UTC timestamp with milliseconds")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;

    #[test]
    fn known_times_are_written_as_the_calendar_says() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_795_211_400_000, "2026-11-20T21:50:00.000Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Timestamp::from_millis(millis).to_string(), text);
            assert_eq!(Timestamp::parse(text), Some(Timestamp::from_millis(millis)));
        }
    }

    #[test]
    fn years_of_other_lengths_are_written_but_not_read() {
        for (millis, text) in [
            (-62_167_219_200_001, "-001-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "10000-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(Timestamp::from_millis(millis).to_string(), text);
            assert_eq!(Timestamp::parse(text), None);
        }
    }

    #[test]
    fn every_day_of_four_centuries_reads_back() {
        for day in -150_000..150_000_i64 {
            let time = Timestamp::from_millis(day * MILLIS_PER_DAY + 12_345_678);
            assert_eq!(Timestamp::parse(&time.to_string()), Some(time));
        }
    }

    #[test]
    fn other_spellings_of_time_are_refused() {
        for wrong in [
            "2026-11-20T21:50:00Z",
            "2026-11-20T21:50:00.000+00:00",
            "2026-11-20t21:50:00.000z",
            "2026-11-20 21:50:00.000Z",
            "2026-02-29T00:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
            "2026-11-20T24:00:00.000Z",
            "2026-11-20T23:59:60.000Z",
            "2026-11-20T21:50:00.0000Z",
            "",
        ] {
            assert_eq!(Timestamp::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_day_changes_at_utc_midnight_also_before_the_epoch() {
        assert_eq!(Timestamp::from_millis(MILLIS_PER_DAY - 1).utc_day(), 0);
        assert_eq!(Timestamp::from_millis(MILLIS_PER_DAY).utc_day(), 1);
        assert_eq!(Timestamp::from_millis(-1).utc_day(), -1);
    }

    #[test]
    fn spans_are_added_and_subtracted_in_milliseconds() {
        let (time, span) = (Timestamp::from_millis(5_000), Span::from_secs(2) + Span::from_millis(3));
        assert_eq!(span.as_millis(), 2_003);
        assert_eq!(
            (time + span, time - span),
            (Timestamp::from_millis(7_003), Timestamp::from_millis(2_997))
        );
        let last = Timestamp::from_millis(i64::MAX);
        assert_eq!(last + Span::from_millis(u64::MAX), last, "there is nothing later");
    }

    #[test]
    fn a_time_reads_back_from_json_and_other_texts_do_not() {
        let (time, json) = (Timestamp::from_millis(1_001), "\"1970-01-01T00:00:01.001Z\"");
        assert_eq!(serde_json::to_string(&time).unwrap(), json);
        assert_eq!(serde_json::from_str::<Timestamp>(json).unwrap(), time);
        assert!(serde_json::from_str::<Timestamp>("\"1970-01-01T00:00:01Z\"").is_err());
    }

    #[test]
    fn distances_never_go_below_zero() {
        let (early, late) = (Timestamp::from_millis(5), Timestamp::from_millis(9));
        assert_eq!(late.since(early), Span::from_millis(4));
        assert_eq!(early.since(late), Span::ZERO);
    }
}
