//! Whether lists end with their last rows (decision 1.7). They are read at the end of the world, when nothing changes.

use super::auditor::{ANSWER_TIMEOUT, MOST_ANSWER_BYTES};
use hall_client::{Asked, Error, Link, Origin, send};
use serde_json::Value;

/// The lists, and the members in which their rows are.
const LISTS: [(&str, &str); 4] = [
    ("/api/leaderboards", "leaderboard"),
    ("/api/games", "games"),
    ("/api/docket", "docket"),
    ("/api/feedback", "feedback"),
];
/// The most rows of a page.
const MOST: usize = 200;

/// A list as it was read.
#[derive(Clone, Debug)]
pub(super) struct ToldList {
    path: &'static str,
    /// All of its rows.
    rows: Vec<Value>,
    /// The pages that it has when so many rows are asked for as it has, and when one less is.
    full: Vec<Page>,
    short: Vec<Page>,
}

#[derive(Clone, Debug)]
struct Page {
    rows: Vec<Value>,
    /// Where it says that the next one begins.
    next: Option<String>,
}

/// Reads every list that has rows, and no more than one page of them, over links that it is given.
///
/// # Errors
/// The hall, which is running without faults, does not answer.
pub(super) async fn read(hall: &Origin, link: impl Fn() -> Link) -> Result<Vec<ToldList>, Error> {
    let mut lists = Vec::new();
    for (path, member) in LISTS {
        let link = link();
        let pages = async |limit: usize| -> Result<Vec<Page>, Error> {
            let (mut pages, mut cursor) = (Vec::new(), String::new());
            // More would be one too many.
            for _ in 0..3 {
                let address = format!("{hall}{path}?limit={limit}{cursor}");
                let asked = Asked { method: "GET", address: &address, headers: &[], body: None };
                let fetched = send(&link, asked, MOST_ANSWER_BYTES, ANSWER_TIMEOUT).await?;
                let page = Page::parse(&fetched.body, member);
                let next = page.next.clone();
                pages.push(page);
                let Some(next) = next else { break };
                cursor = format!("&cursor={next}");
            }
            Ok(pages)
        };
        let Some(Page { rows, next: None }) = pages(MOST).await?.into_iter().next() else { continue };
        if rows.len() > 1 {
            let (full, short) = (pages(rows.len()).await?, pages(rows.len() - 1).await?);
            lists.push(ToldList { path, rows, full, short });
        }
    }
    Ok(lists)
}

impl Page {
    fn parse(body: &[u8], member: &str) -> Self {
        let answer: Value = serde_json::from_slice(body).unwrap_or_default();
        let rows = answer.pointer(&format!("/data/{member}")).and_then(Value::as_array);
        let next = answer.pointer("/data/next_cursor").and_then(Value::as_str);
        Self { rows: rows.cloned().unwrap_or_default(), next: next.map(str::to_owned) }
    }
}

impl ToldList {
    /// What is wrong with it: another page behind the last row, or other rows.
    pub(super) fn wrong(&self) -> Option<String> {
        let is_right = |pages: &[Page], count: usize| {
            pages.len() == count
                && pages.last().is_some_and(|page| page.next.is_none())
                && pages.iter().flat_map(|page| &page.rows).eq(&self.rows)
        };
        let (path, count) = (self.path, self.rows.len());
        let text = |pages: &[Page]| {
            let pages: Vec<_> = pages.iter().map(|page| (page.rows.len(), &page.next)).collect();
            format!("{path} has {count} rows, and is told in pages of {pages:?}")
        };
        let full = (!is_right(&self.full, 1)).then(|| text(&self.full));
        full.or_else(|| (!is_right(&self.short, 2)).then(|| text(&self.short)))
    }

    /// Its last page names another one.
    pub(super) fn go_on(&mut self) {
        self.full.iter_mut().for_each(|page| page.next = Some("00".to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_behind_the_last_row_one_that_is_missing_and_another_row_are_reported() {
        let page = |rows: &[u8], next: Option<&str>| Page {
            rows: rows.iter().map(|row| (*row).into()).collect(),
            next: next.map(str::to_owned),
        };
        let is_wrong = |full: &[Page], short: &[Page]| {
            let rows = vec![1.into(), 2.into()];
            ToldList { path: "/api/games", rows, full: full.to_vec(), short: short.to_vec() }
                .wrong()
                .is_some()
        };
        let (full, short) = ([page(&[1, 2], None)], [page(&[1], Some("a")), page(&[2], None)]);
        assert!(!is_wrong(&full, &short));
        assert!(is_wrong(&[page(&[1, 2], Some("a")), page(&[], None)], &short));
        assert!(is_wrong(&full, &short[..1]));
        assert!(is_wrong(&full, &[page(&[1], Some("a")), page(&[1], None)]));
    }
}
