//! Dates, against a calendar that is counted through year by year and month by month.

use super::Comparison;
use crate::dice::Dice;
use hall_wire::Timestamp;

const DAY: i64 = 86_400_000;

/// Years with something about them: the first and the last that can be written, leap years and such as are none.
const YEARS: [i64; 12] = [0, 1, 1600, 1900, 1969, 1970, 1999, 2000, 2026, 2028, 2100, 9999];

/// Writes, reads and dates random times and those around month ends and year ends.
pub(super) fn compare(dice: &mut Dice, out: &mut Comparison, read: impl Fn(&str) -> Option<Timestamp>) {
    for _ in 0..24 {
        let year = match dice.pick(&YEARS) {
            Some(year) if dice.permille(700) => *year,
            _ => i64::try_from(dice.between(1_950, 2_150)).unwrap_or(0),
        };
        let month = i64::try_from(dice.between(1, 12)).unwrap_or(1);
        let last = length(year, month);
        let day = match dice.below(4) {
            0 => 1,
            1 => last,
            2 => last - 1,
            _ => i64::try_from(dice.between(1, 28)).unwrap_or(1),
        };
        let within = match dice.below(4) {
            0 => 0,
            1 => DAY - 1,
            _ => i64::try_from(dice.below(DAY.unsigned_abs())).unwrap_or(0),
        };
        let millis = days_before(year, month, day) * DAY + within;
        let (text, time) = (written(year, month, day, within), Timestamp::from_millis(millis));
        out.same("time: written", || format!("{millis} ms"), &text, &time.to_string());
        out.same("time: date", || format!("{millis} ms"), (year, month, day), time.utc_date());
        out.same("time: day", || format!("{millis} ms"), (millis - within) / DAY, time.utc_day());
        out.same("time: read", || text.clone(), Some(time), read(&text));
        let beyond = written(year, month, last + 1, within);
        out.same("time: no such day", || beyond.clone(), None, read(&beyond));
        let bent = bent(dice, &text);
        if bent != text {
            let found = read(&bent).map(|time| time.to_string());
            let expected = is_date(&bent).then(|| bent.clone());
            out.same("time: bent", || bent.clone(), expected, found);
        }
    }
}

const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

const fn length(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970 on to this date; negative before.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let of = |year: i64| if is_leap(year) { 366 } else { 365 };
    let years: i64 = (1970..year).map(of).sum::<i64>() - (year..1970).map(of).sum::<i64>();
    years + (1..month).map(|month| length(year, month)).sum::<i64>() + day - 1
}

fn written(year: i64, month: i64, day: i64, millis: i64) -> String {
    let (hour, minute) = (millis / 3_600_000, millis % 3_600_000 / 60_000);
    let (second, milli) = (millis % 60_000 / 1_000, millis % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// Changes, drops or doubles one character.
fn bent(dice: &mut Dice, text: &str) -> String {
    let place = usize::try_from(dice.below(24)).unwrap_or(0);
    let (before, after) = text.split_at_checked(place).unwrap_or((text, ""));
    let rest = after.get(1..).unwrap_or_default();
    let other = dice.pick(&["0", "1", "2", "3", "6", "9", "-", "+", " ", "t", "z", "é", "", "00"]);
    format!("{before}{}{rest}", other.copied().unwrap_or_default())
}

/// Whether it is a date and time of day to the letter.
fn is_date(text: &str) -> bool {
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        digits.and_then(|digits| digits.parse::<i64>().ok()).unwrap_or(-1)
    };
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let (hour, minute, second, milli) = (number(11, 13), number(14, 16), number(17, 19), number(20, 23));
    let marks = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "."), (23, "Z")];
    text.len() == 24
        && marks.iter().all(|(place, mark)| text.get(*place..).is_some_and(|rest| rest.starts_with(mark)))
        && year >= 0
        && (1..=12).contains(&month)
        && (1..=length(year, month)).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..60).contains(&second)
        && milli >= 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_takes_the_thirtieth_of_february_or_nothing_differs() {
        let differences = |read: fn(&str) -> Option<Timestamp>| {
            let mut out = Comparison::default();
            compare(&mut Dice::of(1, "times", 0), &mut out, read);
            out.differences.len()
        };
        assert_eq!(differences(Timestamp::parse), 0);
        assert_ne!(differences(|text| Timestamp::parse(text).or(Some(Timestamp::default()))), 0);
        assert_ne!(differences(|_| None), 0);
    }
}
