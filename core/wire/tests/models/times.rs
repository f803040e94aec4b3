//! Dates, against a calendar that is counted through year by year and month by month.

use crate::{holds, same};
use hall_wire::Timestamp;
use proptest::prelude::*;
use proptest::sample::select;

const DAY: i64 = 86_400_000;

/// The first and the last year that can be written, leap years and such as are none.
const YEARS: [i64; 12] = [0, 1, 1600, 1900, 1969, 1970, 1999, 2000, 2026, 2028, 2100, 9999];

/// A date with its last day, and a time of day in milliseconds. Month ends and day ends are frequent.
#[derive(Clone, Copy, Debug)]
struct Date {
    year: i64,
    month: i64,
    day: i64,
    within: i64,
}

fn dates() -> impl Strategy<Value = Date> {
    let year = prop_oneof![7 => select(&YEARS[..]), 3 => 1_950_i64..=2_150];
    // A day below 1 is counted from the end of the month.
    let day = prop_oneof![Just(1_i64), -1_i64..=0, 1_i64..=28];
    let within = prop_oneof![Just(0), Just(DAY - 1), 0..DAY];
    (year, 1_i64..=12, day, within).prop_map(|(year, month, day, within)| {
        let day = if day < 1 { length(year, month) + day } else { day };
        Date { year, month, day, within }
    })
}

/// What stands in the place of one character.
const OTHERS: [&str; 14] = ["0", "1", "2", "3", "6", "9", "-", "+", " ", "t", "z", "é", "", "00"];

fn cases() -> impl Strategy<Value = (Date, usize, &'static str)> {
    (dates(), 0_usize..24, select(&OTHERS[..]))
}

/// Writes, reads and dates a time; reads a day that the month does not have, and a text with another character.
fn compare(
    (date, place, other): (Date, usize, &str),
    read: impl Fn(&str) -> Option<Timestamp>,
) -> Result<(), TestCaseError> {
    let Date { year, month, day, within } = date;
    let millis = days_before(year, month, day) * DAY + within;
    let (text, time) = (written(date), Timestamp::from_millis(millis));
    same(millis, &text, &time.to_string())?;
    same(millis, (year, month, day), time.utc_date())?;
    same(millis, (millis - within) / DAY, time.utc_day())?;
    same(&text, Some(time), read(&text))?;
    let beyond = written(Date { day: length(year, month) + 1, ..date });
    same(&beyond, None, read(&beyond))?;
    let bent = format!("{}{other}{}", &text[..place], &text[place + 1..]);
    let expected = is_date(&bent).then(|| bent.clone());
    same(&bent, expected, read(&bent).map(|time| time.to_string()))
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

/// Days from 1970 to this date; negative before.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let of = |year: i64| if is_leap(year) { 366 } else { 365 };
    let years: i64 = (1970..year).map(of).sum::<i64>() - (year..1970).map(of).sum::<i64>();
    years + (1..month).map(|month| length(year, month)).sum::<i64>() + day - 1
}

fn written(Date { year, month, day, within }: Date) -> String {
    let (hour, minute) = (within / 3_600_000, within % 3_600_000 / 60_000);
    let (second, milli) = (within % 60_000 / 1_000, within % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
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

proptest! {
    #[test]
    fn times_match_the_calendar(case in cases()) {
        compare(case, Timestamp::parse)?;
    }
}

#[test]
fn a_reader_that_accepts_the_thirtieth_of_february_or_nothing_is_noticed() {
    assert!(!holds(24, cases(), |case| {
        compare(case, |text| Timestamp::parse(text).or(Some(Timestamp::default())))
    }));
    assert!(!holds(24, cases(), |case| compare(case, |_| None)));
}
