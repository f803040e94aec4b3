use super::super::request::GameState;
use super::*;
use clap::{CommandFactory as _, Parser};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    admin: AdminArgs,
}

fn reads(line: &str) -> bool {
    Line::try_parse_from(["admin"].into_iter().chain(line.split(' '))).is_ok()
}

#[test]
fn the_command_line_is_valid() {
    Line::command().debug_assert();
}

#[test]
fn every_command_has_an_example_that_parses() {
    fn leaves(command: &clap::Command, path: &str, found: &mut Vec<(String, String)>) {
        let path = format!("{path} {}", command.get_name());
        if command.has_subcommands() {
            command.get_subcommands().for_each(|inner| leaves(inner, &path, found));
        } else {
            found.push((path, command.get_after_help().map(ToString::to_string).unwrap_or_default()));
        }
    }
    let mut found = Vec::new();
    Line::command().get_subcommands().for_each(|command| leaves(command, "hall admin", &mut found));
    assert!(found.len() > 15, "{found:?}");
    for (path, help) in found {
        let example = help
            .lines()
            .find(|line| line.trim_start().starts_with(&path))
            .unwrap_or_else(|| panic!("{path} has no example: {help:?}"));
        let alone = example.split(" && ").next().unwrap_or_default().trim().trim_start_matches("hall ");
        // Every second part stands in quotation marks.
        let words = alone.split('"').enumerate().flat_map(|(number, part)| match number % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
            _ => vec![part.to_owned()],
        });
        let read = Line::try_parse_from(words);
        assert!(read.is_ok(), "{example}: {:?}", read.err().map(|error| error.to_string()));
    }
}

#[test]
fn a_verdict_names_one_outcome_and_a_reason() {
    let game = "game adjudicate g_00000000000000000000000000";
    for right in ["--winner p0 --reason R", "--draw --reason R", "--reason R --abort"] {
        assert!(reads(&format!("{game} {right}")), "{right}");
    }
    for wrong in ["--reason R", "--draw", "--draw --abort --reason R", "--winner p0 --draw --reason R"] {
        assert!(!reads(&format!("{game} {wrong}")), "{wrong}");
    }
}

#[test]
fn games_that_ended_for_a_reason_are_ended_ones() {
    #[derive(Parser)]
    struct Filter {
        #[command(flatten)]
        filter: GameFilter,
    }
    for (line, status) in [
        ("games", GameState::Live),
        ("games --reason strikes", GameState::Ended),
        ("games --status ended --reason strikes", GameState::Ended),
        // The hall refuses it.
        ("games --status live --reason strikes", GameState::Live),
    ] {
        let Filter { filter } = Filter::try_parse_from(line.split(' ')).unwrap();
        assert_eq!(filter.status, status, "{line}");
    }
}
