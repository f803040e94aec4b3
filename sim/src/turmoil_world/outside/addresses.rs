//! Addresses that nobody may be shown: those of endpoints, but by their owners, and those of machines (S4).
//!
//! The endpoints of these worlds have the place of their owner behind their hosts, so that they can be recognised in
//! whatever bytes they stand.

/// What the hosts of all endpoints end with.
const ENDPOINT: &[u8] = b".bells.example";
/// What the addresses of all machines of the network begin with.
const MACHINE: &[u8] = b"192.168.";
/// The most that can follow in the address of an endpoint: a port and a place.
const LONGEST_REST: usize = 24;

/// Looks for addresses in what comes in pieces.
#[derive(Debug, Default)]
pub(in super::super) struct AddressWatch {
    /// The end of what came, which may be the beginning of an address.
    end: Vec<u8>,
}

impl AddressWatch {
    /// An address that is not that of the agent with this place in the plan, and whose end comes with this piece.
    pub(in super::super) fn sees(&mut self, piece: &[u8], own: Option<usize>) -> Option<String> {
        self.end.extend_from_slice(piece);
        let mut seen = None;
        // Where an address may begin of which more is to come.
        let mut open = self.end.len().saturating_sub(ENDPOINT.len() - 1);
        for (place, bytes) in self.end.windows(ENDPOINT.len()).enumerate() {
            if bytes.starts_with(MACHINE) {
                seen = seen.or_else(|| Some(text_at(&self.end, place)));
            }
            if bytes != ENDPOINT {
                continue;
            }
            let rest = self.end.get(place + ENDPOINT.len()..).unwrap_or_default();
            match owner(rest) {
                Rest::Open if rest.len() < LONGEST_REST => open = open.min(place),
                Rest::Owner(number) if Some(number) == own => {}
                Rest::Owner(_) | Rest::Other | Rest::Open => {
                    seen = seen.or_else(|| Some(text_at(&self.end, place)));
                }
            }
        }
        self.end.drain(..open);
        seen
    }
}

/// What follows the host of an endpoint.
enum Rest {
    /// The place of its owner.
    Owner(usize),
    /// Something else.
    Other,
    /// The beginning of it.
    Open,
}

fn owner(rest: &[u8]) -> Rest {
    let rest = match rest.strip_prefix(b":8443") {
        Some(rest) => rest,
        None if b":8443".starts_with(rest) => return Rest::Open,
        None => rest,
    };
    let Some((b'/', rest)) = rest.split_first() else {
        return if rest.is_empty() { Rest::Open } else { Rest::Other };
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == rest.len() {
        return Rest::Open;
    }
    let number = rest.get(..digits).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    number.map_or(Rest::Other, Rest::Owner)
}

fn text_at(bytes: &[u8], place: usize) -> String {
    let from = place.saturating_sub(LONGEST_REST);
    let until = (place + ENDPOINT.len() + LONGEST_REST).min(bytes.len());
    String::from_utf8_lossy(bytes.get(from..until).unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often an address is seen in an answer that comes in pieces of this size to the agent with this place.
    fn seen(text: &str, size: usize, own: Option<usize>) -> usize {
        let mut watch = AddressWatch::default();
        text.as_bytes().chunks(size).filter_map(|piece| watch.sees(piece, own)).count()
    }

    #[test]
    fn the_address_of_anothers_endpoint_is_seen_however_it_is_split() {
        let told = |address: &str| format!("HTTP/1.1 200 OK\r\n\r\n{{\"url\":\"{address}\",\"more\":1}}");
        let text = told("https://good12.bells.example/12");
        for size in 1..=text.len() {
            assert_eq!(seen(&text, size, Some(12)), 0, "its own, in pieces of {size}");
            assert_eq!(seen(&text, size, Some(1)), 1, "of another, in pieces of {size}");
            assert_eq!(seen(&text, size, None), 1, "of an agent, in pieces of {size}");
        }
        for address in ["https://good3.bells.example:8443/3", "good3.bells.example", "192.168.0.3"] {
            let text = told(address);
            for size in 1..=text.len() {
                assert_eq!(seen(&text, size, Some(4)), 1, "{address} in pieces of {size}");
            }
        }
        assert_eq!(seen(&told("https://elsewhere.example/3"), 7, None), 0);
    }
}
