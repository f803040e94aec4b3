//! The bytes of one simulated file: sparse, and cheap to copy, because copies share their pages until one is written.

use hall_journal::backend_parts::HALF_BYTES;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of a page. Large enough that a log has few of them, small enough that copying one is nothing.
const PAGE_BYTES: usize = 1 << 13;

const _: () = assert!(
    HALF_BYTES.is_multiple_of(PAGE_BYTES),
    "no page lies in both halves of the mark, most of which is zeros"
);

/// Bytes by position; what was never written is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pages {
    pages: BTreeMap<u64, Arc<Vec<u8>>>,
    length: u64,
}

impl Pages {
    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    /// Bytes that are really held in memory, in whole pages.
    pub(super) fn held(&self) -> u64 {
        to_u64(self.pages.len().saturating_mul(PAGE_BYTES))
    }

    /// Writes, and makes the file longer where the bytes reach beyond its end.
    pub(super) fn write(&mut self, at: u64, bytes: &[u8]) {
        let (mut at, mut rest) = (at, bytes);
        while !rest.is_empty() {
            let (page, inside) = split(at);
            let (part, later) = rest.split_at(rest.len().min(PAGE_BYTES.saturating_sub(inside)));
            let held = self.pages.entry(page).or_insert_with(|| Arc::new(vec![0; PAGE_BYTES]));
            let end = inside.saturating_add(part.len());
            if let Some(target) = Arc::make_mut(held).get_mut(inside..end) {
                target.copy_from_slice(part);
            }
            at = at.saturating_add(to_u64(part.len()));
            rest = later;
        }
        self.extend(at);
    }

    /// At most `len` bytes from `at` on, fewer where the file ends.
    pub(super) fn read(&self, at: u64, len: usize) -> Vec<u8> {
        let mut left = len.min(to_usize(self.length.saturating_sub(at)));
        let mut out = Vec::with_capacity(left);
        let mut at = at;
        while left > 0 {
            let (page, inside) = split(at);
            let part = left.min(PAGE_BYTES.saturating_sub(inside));
            let bytes = self.pages.get(&page).and_then(|held| held.get(inside..inside.saturating_add(part)));
            match bytes {
                Some(bytes) => out.extend_from_slice(bytes),
                None => out.resize(out.len().saturating_add(part), 0),
            }
            at = at.saturating_add(to_u64(part));
            left = left.saturating_sub(part);
        }
        out
    }

    /// Makes the file at least this long.
    pub(super) fn extend(&mut self, length: u64) {
        self.length = self.length.max(length);
    }

    /// Cuts the file; what is written behind the cut later begins with zeros.
    pub(super) fn truncate(&mut self, length: u64) {
        if length >= self.length {
            return;
        }
        self.length = length;
        let (page, inside) = split(length);
        drop(self.pages.split_off(&page.saturating_add(1)));
        if let Some(rest) = self.pages.get_mut(&page).and_then(|held| Arc::make_mut(held).get_mut(inside..)) {
            rest.fill(0);
        }
    }

    /// Flips one bit, counted from the beginning of the file.
    pub(super) fn flip(&mut self, bit: u64) {
        let at = bit >> 3;
        let mut byte = self.read(at, 1);
        for byte in &mut byte {
            *byte ^= 1 << (bit & 7);
        }
        self.write(at, &byte);
    }

    /// Where the last page before `end` that is not all zeros ends; `from` if there is none between.
    pub(super) fn held_end(&self, from: u64, end: u64) -> u64 {
        let (first, last) = (split(from).0, split(end.saturating_sub(1)).0);
        let mut pages = self.pages.range(first..=last.max(first)).rev();
        let held = pages.find(|(_, bytes)| bytes.iter().any(|byte| *byte != 0));
        let held_to =
            held.map_or(from, |(page, _)| page.saturating_add(1).saturating_mul(to_u64(PAGE_BYTES)));
        held_to.clamp(from, end.max(from))
    }

    /// The first position that is held, and so not certainly zero.
    pub(super) fn first_held(&self) -> u64 {
        let page = self.pages.first_key_value().map_or(0, |(page, _)| *page);
        page.saturating_mul(to_u64(PAGE_BYTES))
    }
}

/// The number of the page and the place in it.
fn split(at: u64) -> (u64, usize) {
    let size = to_u64(PAGE_BYTES);
    (at / size, to_usize(at % size))
}

pub(super) fn to_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

pub(super) fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_across_pages_read_back_and_the_rest_is_zero() {
        let mut pages = Pages::default();
        let at = to_u64(PAGE_BYTES) * 3 - 5;
        pages.write(at, &[7; 10]);
        assert_eq!(pages.length(), at + 10);
        assert_eq!(pages.read(at - 2, 100), [vec![0, 0], vec![7; 10]].concat());
        assert_eq!(pages.read(10, 3), [0; 3]);
        assert_eq!(pages.read(at + 10, 3), Vec::<u8>::new());
    }

    #[test]
    fn changes_of_the_original_leave_a_copy_alone() {
        let mut pages = Pages::default();
        pages.write(0, b"before");
        let copy = pages.clone();
        pages.write(0, b"behind");
        assert_eq!((copy.read(0, 6), pages.read(0, 6)), (b"before".to_vec(), b"behind".to_vec()));
    }

    #[test]
    fn what_is_held_ends_with_its_last_page_that_is_not_all_zeros() {
        let mut pages = Pages::default();
        let page = to_u64(PAGE_BYTES);
        pages.write(page, &[7; 10]);
        pages.write(page * 5, &[7; 10]);
        pages.write(page * 7, &[0; 10]);
        assert_eq!(pages.held_end(0, page * 9), page * 6);
        assert_eq!(pages.held_end(0, page * 5), page * 2);
        assert_eq!(pages.held_end(0, page + 3), page + 3);
        assert_eq!(pages.held_end(page * 2, page * 4), page * 2);
    }

    #[test]
    fn truncated_bytes_read_as_zero() {
        let mut pages = Pages::default();
        pages.write(0, &vec![9; PAGE_BYTES * 3]);
        pages.truncate(to_u64(PAGE_BYTES) + 3);
        pages.extend(to_u64(PAGE_BYTES) * 3);
        assert_eq!(pages.read(to_u64(PAGE_BYTES), 5), [9, 9, 9, 0, 0]);
        assert!(pages.read(to_u64(PAGE_BYTES) * 2, PAGE_BYTES).iter().all(|byte| *byte == 0));
        assert_eq!(pages.held(), to_u64(PAGE_BYTES) * 2);
    }
}
