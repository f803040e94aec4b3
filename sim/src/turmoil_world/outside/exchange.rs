//! The exchanges on one connection of a client, as bytes pass: each request with its answer.

use super::heads::{AnswerHead, HeadContext, RequestHead, judge};
use super::rates::RateVerdict;
use super::words::Watch;
use super::{Finding, HallMoment, Outside};

/// The longest head that is kept.
const MOST_HEAD_BYTES: usize = 64 * 1024;

/// A connection, one request after the other.
#[derive(Debug, Default)]
pub(in super::super) struct ClientExchange {
    /// The request so far, and the head of its answer.
    asked: Vec<u8>,
    told: Vec<u8>,
    stage: ExchangeStage,
    request: Option<OpenRequest>,
    watch: Watch,
}

/// A request whose head is complete.
#[derive(Debug)]
struct OpenRequest {
    asked: RequestHead,
    /// Its number among those that count against the limit.
    counted: Option<u64>,
}

/// When a request began to leave.
#[derive(Clone, Copy, Debug, Default)]
struct Departure {
    moment: Option<HallMoment>,
    now: u64,
}

#[derive(Clone, Copy, Debug, Default)]
enum ExchangeStage {
    /// Nothing is under way.
    #[default]
    Idle,
    /// A request is on its way.
    Asking(Departure),
    /// Its answer comes.
    Answering(Departure),
    /// Its head was judged.
    Judged(Departure),
}

impl ClientExchange {
    /// The client has sent this, at `now` in milliseconds since the world began.
    pub(in super::super) fn wrote(&mut self, bytes: &[u8], client: &str, outside: &mut Outside, now: u64) {
        if !matches!(self.stage, ExchangeStage::Asking(_)) {
            self.stage = ExchangeStage::Asking(Departure { moment: outside.moment(), now });
            self.asked.clear();
            self.told.clear();
            self.request = None;
        }
        if self.request.is_some() || self.asked.len() > MOST_HEAD_BYTES {
            return;
        }
        self.asked.extend_from_slice(bytes);
        let Some(asked) = RequestHead::parse(&self.asked) else { return };
        let counts = outside.traffic.per_minute > 0 && asked.is_counted();
        let counted = outside.moment().filter(|_| counts).map(|now| outside.rates.sent(client, now));
        if let Some(challenge) = asked.move_challenge() {
            outside.moves.sent(challenge);
        }
        self.request = Some(OpenRequest { asked, counted });
    }

    /// The hall has sent this. What is wrong with it.
    pub(in super::super) fn read(
        &mut self,
        bytes: &[u8],
        client: &str,
        outside: &mut Outside,
    ) -> Vec<Finding> {
        if let ExchangeStage::Asking(departure) = self.stage {
            self.stage = ExchangeStage::Answering(departure);
        }
        let (ExchangeStage::Answering(departure) | ExchangeStage::Judged(departure)) = self.stage else {
            return Vec::new();
        };
        let shown = self.watch.sees(bytes, &outside.words, departure.now);
        let mut found: Vec<Finding> = Vec::new();
        found
            .extend(shown.map(|number| {
                ("S5", format!("{client} is shown words number {number}, which are withheld"))
            }));
        if matches!(self.stage, ExchangeStage::Answering(_)) && self.told.len() <= MOST_HEAD_BYTES {
            self.told.extend_from_slice(bytes);
            if let Some(head) = AnswerHead::parse(&self.told) {
                self.stage = ExchangeStage::Judged(departure);
                self.judge(&head, departure, client, outside, &mut found);
            }
        }
        found
    }

    fn judge(
        &self,
        head: &AnswerHead,
        departure: Departure,
        client: &str,
        outside: &mut Outside,
        found: &mut Vec<Finding>,
    ) {
        let Some(OpenRequest { asked, counted }) = &self.request else { return };
        let told = outside.moment();
        let same = departure.moment.zip(told).filter(|(sent, told)| sent.start == told.start);
        let clock = same.map(|(sent, told)| (sent.at, told.at + outside.slack));
        // No agent of these worlds has as many games as it may.
        let per_minute = outside.traffic.per_minute;
        let known = HeadContext { clock, per_minute, ..HeadContext::default() };
        let wrong = judge(asked, head, known).into_iter();
        let what = format!("{} {} of {client}, answered {}", asked.method, asked.path, head.status);
        found.extend(wrong.map(|text| ("H4", format!("{what}: {text}: {:?}", head.headers))));
        if let Some(next) = head.header("x-svc-next-challenge")
            && !outside.challenges.insert(next.to_owned())
        {
            found.push(("A2", format!("{what}: the challenge {next} was told before")));
        }
        if let Some(challenge) = asked.move_challenge().filter(|_| head.status == 503) {
            outside.moves.refused(challenge);
        }
        let (Some(number), Some(now)) = (*counted, told) else { return };
        let (limit, faulty) = (usize::try_from(outside.traffic.per_minute).unwrap_or(0), outside.faulty);
        let now = HallMoment { at: now.at + outside.slack, ..now };
        let passed = head.status != 429 || head.remaining() != Some(0);
        match outside.rates.told(client, number, (passed, now), limit, faulty) {
            RateVerdict::Right => {}
            RateVerdict::Refused => outside.refused += 1,
            RateVerdict::TooMany(count) => {
                found.push(("V4", format!("{what}: {count} requests of {limit} pass in a minute")));
            }
            RateVerdict::TooFew(count) => {
                found.push(("H2", format!("{what}, and only {count} of {limit} requests were sent before")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: &[u8] = b"GET /api/catalog HTTP/1.1\r\nHost: hall\r\n\r\n";

    fn answer(status: u16, more: &str) -> Vec<u8> {
        let text = format!(
            "HTTP/1.1 {status} Word\r\nX-Request-Id: a\r\nContent-Type: application/json; charset=utf-8\r\n\
             Access-Control-Allow-Origin: *\r\n{more}\r\n{{}}"
        );
        text.into_bytes()
    }

    /// What is found when so many requests are answered like this, in pieces of this size.
    fn found(count: usize, answer: &[u8], size: usize, per_minute: u32) -> Vec<&'static str> {
        let mut outside = Outside { hall: Some(Box::new(|| HallMoment::first(1_000))), ..Outside::default() };
        outside.traffic.per_minute = per_minute;
        let mut exchange = ClientExchange::default();
        let mut found = Vec::new();
        for _ in 0..count {
            ASKED.chunks(size).for_each(|piece| exchange.wrote(piece, "ada", &mut outside, 0));
            for piece in answer.chunks(size) {
                found.extend(exchange.read(piece, "ada", &mut outside).into_iter().map(|(name, _)| name));
            }
        }
        found
    }

    #[test]
    fn each_exchange_is_judged_once_however_its_bytes_are_split() {
        let wrong = answer(200, "Server: salvo\r\n");
        for size in 1..=wrong.len() {
            assert_eq!(found(2, &answer(200, ""), size, 0), [""; 0]);
            assert_eq!(found(2, &wrong, size, 0), ["H4", "H4"]);
        }
    }

    #[test]
    fn a_challenge_that_is_told_twice_a_fourth_request_of_three_and_an_early_refusal_are_reported() {
        let next = "X-Svc-Next-Challenge: 00\r\nCache-Control: no-store\r\n";
        assert_eq!(found(2, &answer(200, next), 999, 0), ["H4", "H4", "A2"], "it was for nobody, too");
        let rate = "RateLimit: \"requests\";r=0;t=3\r\nRateLimit-Policy: \"requests\";q=3;w=60\r\n";
        assert_eq!(found(3, &answer(200, rate), 999, 3), [""; 0]);
        assert_eq!(found(4, &answer(200, rate), 999, 3), ["V4"]);
        let refused = format!("{rate}Retry-After: 3\r\n");
        assert_eq!(found(1, &answer(429, &refused), 999, 3), ["H2"]);
    }
}
