//! `hall verify`: checks the replay of an ended game as a stranger would, and says what was checked and what not.
//!
//! What is claimed and how it is checked is in `hall-verify`, which shares formats and rules with the hall and nothing
//! of its state machine.

mod print;
mod source;
#[cfg(test)]
mod tests;

use crate::exit::{FAILED, OK, REFUSED, Status};
use crate::terminal::plain;
use clap::Args;
use hall_verify::note::VerifierKey;
use hall_verify::replay::{EarlyProof, Trust, TrustedChain, verify};
use std::io::{self, Write};

/// Check the replay of an ended game without trusting the hall that it comes from.
///
/// Every claim that a replay makes is checked: signatures, the rules, clocks, random numbers, the result, and its
/// place in the hall's log. What is not checked is named, too. Only the replay is fetched from the network.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 every claim that was checked holds, 1 a claim fails, 2 it could not be read or is not a \
    replay.\n\n\
    Examples:\n  hall verify https://hall.example/api/games/g_01m7yfs7qymvb7e9cwq7408k3p/replay\n  \
    hall verify replay.json --log-key hall.example+0a1b2c3d+AQ…\n  curl -s … | hall verify - --json"
)]
pub struct VerifyArgs {
    /// The replay: a file, an http(s) address, or - for standard input
    #[arg(value_name = "FILE|URL|-")]
    replay: String,
    /// The key of the hall's log, as /api/checkpoint and /api/official show it; get it from somebody you trust. May be
    /// repeated: a replay keeps the signature of its time, so after the key was replaced give the old one, too
    #[arg(long = "log-key", visible_alias = "key", value_name = "VKEY", value_parser = VerifierKey::parse_log)]
    log_keys: Vec<VerifierKey>,
    /// The key of a witness whose cosignature of the checkpoint is looked for; may be repeated
    #[arg(long = "witness", value_name = "VKEY", value_parser = VerifierKey::parse_witness)]
    witnesses: Vec<VerifierKey>,
    /// A drand chain besides quicknet, times in seconds; may be repeated
    #[arg(long = "chain", value_name = "HASH:KEY:GENESIS:PERIOD", value_parser = TrustedChain::parse)]
    chains: Vec<TrustedChain>,
    /// What /api/games/ID/proof answered while the game was live, in a file: with the line of a witness it shows that the
    /// game was bound to its drand round before the round was known
    #[arg(long, value_name = "FILE", value_parser = early_proof)]
    early_proof: Option<EarlyProof>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

fn early_proof(path: &str) -> Result<EarlyProof, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    EarlyProof::parse(&bytes).map_err(|problem| format!("{path}: {problem}"))
}

impl VerifyArgs {
    fn trust(&self) -> Trust {
        let (log_keys, witnesses) = (self.log_keys.clone(), self.witnesses.clone());
        let early = self.early_proof.clone();
        let mut trust = Trust { log_keys, witnesses, early, ..Trust::default() };
        // A chain that was given counts before one that is built in.
        trust.chains.splice(0..0, self.chains.iter().cloned());
        trust
    }
}

/// Checks a replay and prints the report.
#[must_use]
pub fn run(args: &VerifyArgs) -> Status {
    match source::read(&args.replay) {
        Ok(bytes) => report(&bytes, args, &mut io::stdout().lock()),
        Err(error) => cannot(&error),
    }
}

fn report(bytes: &[u8], args: &VerifyArgs, out: &mut dyn Write) -> Status {
    let report = match verify(bytes, &args.trust()) {
        Ok(report) => report,
        Err(problem) => return cannot(&format_args!("{}: {problem}", args.replay)),
    };
    let printed = if args.json { print::json(&report, out) } else { print::lines(&report, out) };
    // A reader that has seen enough may close the pipe; the verdict is the same.
    if let Err(error) = printed
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        return cannot(&error);
    }
    if report.holds() { OK } else { REFUSED }
}

fn cannot(why: &dyn std::fmt::Display) -> Status {
    eprintln!("hall verify: {}", plain(&why.to_string()));
    FAILED
}
