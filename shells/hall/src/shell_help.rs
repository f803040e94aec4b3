//! `hall completions` and `hall man`: what a shell and a reader of manuals need, made from the command line itself.

use clap::{Args, Command, ValueEnum};
use clap_complete::aot::{Shell, generate};
use clap_mangen::Man;
use hall_tools::exit::{FAILED, OK, REFUSED, Status};
use std::io::Write as _;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hall completions bash > ~/.local/share/bash-completion/completions/hall
  hall completions zsh > \"${fpath[1]}/_hall\"
  hall completions fish > ~/.config/fish/completions/hall.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Completed,
}

/// A shell that is completed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Completed {
    /// GNU Bash.
    Bash,
    /// The Z shell.
    Zsh,
    /// Fish.
    Fish,
}

/// Print the manual page of `hall`, or of one of its commands
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hall man | man -l -
  hall man agent > hall-agent.1")]
pub(crate) struct ManArgs {
    /// The command, such as agent or `admin season`; none for the program itself
    #[arg(value_name = "COMMAND")]
    path: Vec<String>,
}

/// Prints the completion script of `program`.
pub(crate) fn completions(args: &CompletionsArgs, mut program: Command) -> Status {
    let shell = match args.shell {
        Completed::Bash => Shell::Bash,
        Completed::Zsh => Shell::Zsh,
        Completed::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    generate(shell, &mut program, "hall", &mut script);
    print("completions", &script)
}

/// Prints a manual page of `program`.
pub(crate) fn man(args: &ManArgs, mut program: Command) -> Status {
    program.build();
    let mut command = &program;
    for name in &args.path {
        let Some(inner) = command.find_subcommand(name) else {
            let known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            eprintln!("hall man: `{}` has no command `{name}`; it has: {known}", command.get_name());
            return FAILED;
        };
        command = inner;
    }
    let mut page = Vec::new();
    match Man::new(command.clone()).render(&mut page) {
        Ok(()) => print("man", &page),
        Err(error) => {
            eprintln!("hall man: {error}");
            REFUSED
        }
    }
}

/// Writes to standard output; a reader that has gone away is no fault.
fn print(command: &str, bytes: &[u8]) -> Status {
    match std::io::stdout().write_all(bytes) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            eprintln!("hall {command}: {error}");
            REFUSED
        }
        Ok(()) | Err(_) => OK,
    }
}
