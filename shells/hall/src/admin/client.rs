//! The sending end of `hall admin`.

use super::commands::{AdminArgs, Form, Invocation};
use super::lines::{Last, Line};
use super::{socket, table};
use hall_tools::atomic_file;
use hall_tools::exit::{FAILED, OK, REFUSED, Status};
use serde_json::Value;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// Carries out a command line; `settings` are those before `admin`.
pub(crate) fn run(args: AdminArgs, outer: crate::settings::SettingsArgs) -> Status {
    let Invocation { request, file, settings, form } = match args.command.into_invocation() {
        Ok(invocation) => invocation,
        Err(error) => return fail(&format!("the current folder is unknown: {error}")),
    };
    // The hall that runs there has settings of its own.
    let data = match outer.with(args.settings).with(settings).data_folder() {
        Ok(data) => data,
        Err(error) => return fail(&error.to_string()),
    };
    let data = data.as_path();
    let stream = match socket::connect(data) {
        Ok(stream) => stream,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return fail(&not_the_owner(data, &error));
        }
        Err(error) => return fail(&no_hall(data, &error)),
    };
    let line = serde_json::to_string(&request).map_err(io::Error::from);
    let done = line.and_then(|line| match (&file, form) {
        (Some(path), _) => into_file(path, |out| ask(stream, &line, out)),
        (None, Form::Table(columns)) => {
            let mut items = Vec::new();
            let answered = ask(stream, &line, &mut items)?;
            table::write(&String::from_utf8_lossy(&items), columns, &mut io::stdout().lock())?;
            Ok(answered)
        }
        (None, Form::Progress) => ask(stream, &line, &mut io::stdout().lock()),
        (None, Form::Lines | Form::Data | Form::JsonLines | Form::JsonObject) => {
            ask(stream, &line, &mut BufWriter::new(io::stdout().lock()))
        }
    });
    match done {
        Ok(Answered { last: Last { ok: true, data, .. }, items }) => {
            let data = data.unwrap_or_default();
            match form {
                Form::Lines | Form::Progress | Form::Table(_) => report(&data, file.as_deref(), items > 0),
                Form::Data => report(&data, file.as_deref(), true),
                Form::JsonObject => {
                    // Nobody may be reading any more; what was done is done.
                    let _ = writeln!(io::stdout().lock(), "{}", harmless(&data.to_string()));
                }
                Form::JsonLines => {}
            }
            if data.get("searched_all") == Some(&Value::Bool(false)) {
                let _ = writeln!(io::stderr(), "more games may match: raise --limit, or narrow the search");
            }
            OK
        }
        Ok(Answered { last: Last { error, .. }, .. }) => {
            let (code, message) = error.map_or_else(Default::default, |error| (error.code, error.message));
            eprintln!("refused: {message} ({code})");
            REFUSED
        }
        Err(error) => fail(&format!("the answer is incomplete: {error}")),
    }
}

/// A whole answer.
pub(super) struct Answered {
    /// How it ended.
    pub(super) last: Last,
    /// How many items came before.
    pub(super) items: u64,
}

/// Sends one request and writes its items to `out`.
pub(super) fn ask(stream: UnixStream, request: &str, out: &mut dyn Write) -> io::Result<Answered> {
    let mut sending = &stream;
    sending.write_all(format!("{request}\n").as_bytes())?;
    for (items, line) in (0..).zip(BufReader::new(&stream).lines()) {
        match serde_json::from_str(&line?)? {
            Line::Item { item: Value::String(text) } => writeln!(out, "{text}")?,
            Line::Item { item } => writeln!(out, "{}", harmless(&item.to_string()))?,
            Line::Last(last) => {
                out.flush()?;
                return Ok(Answered { last, items });
            }
        }
    }
    Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the hall closed the connection"))
}

/// Lets `ask` write a file, which is put in place when the answer is whole: one that is there stays until then. A pipe or a
/// device takes what comes.
fn into_file(path: &Path, ask: impl FnOnce(&mut dyn Write) -> io::Result<Answered>) -> io::Result<Answered> {
    let named = |error| io::Error::other(format!("{} cannot be written: {error}", path.display()));
    if path.metadata().is_ok_and(|known| !known.is_file()) {
        return ask(&mut BufWriter::new(File::create(path).map_err(named)?));
    }
    atomic_file::fill(path, ask, |answered| answered.last.ok).map_err(named)
}

/// JSON in which every control character is escaped, so that nothing an agent wrote can act on a terminal. (JSON
/// itself asks for that only below U+0020.)
fn harmless(json: &str) -> Cow<'_, str> {
    if !json.contains(char::is_control) {
        return Cow::Borrowed(json);
    }
    let escape = |letter: char| match letter.is_control() {
        true => format!("\\u{:04x}", u32::from(letter)),
        false => letter.to_string(),
    };
    Cow::Owned(json.chars().map(escape).collect())
}

/// What was done, one `name: value` a line; to standard error where standard output holds the items.
fn report(data: &Value, file: Option<&Path>, has_items: bool) {
    let mut lines = Vec::new();
    if let Some(file) = file {
        lines.push(format!("written to {}\n", file.display()));
    }
    for (name, value) in data.as_object().into_iter().flatten() {
        match value {
            Value::String(text) => lines.push(format!("{name}: {}\n", text.replace(char::is_control, "?"))),
            Value::Array(items) if items.iter().any(Value::is_object) => {
                lines.push(format!("{name}:\n"));
                lines.extend(items.iter().map(|item| format!("  {}\n", harmless(&item.to_string()))));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                lines.push(format!("{name}: {}\n", harmless(&value.to_string())));
            }
        }
    }
    let text = lines.concat();
    // Nobody may be reading any more; what was done is done.
    let _ = if has_items && file.is_none() {
        io::stderr().write_all(text.as_bytes())
    } else {
        io::stdout().write_all(text.as_bytes())
    };
}

fn no_hall(data: &Path, error: &io::Error) -> String {
    format!(
        "no hall is running on {} ({error}). Start it with `hall serve`, or name its data folder with \
         --config FILE or --set storage.path=FOLDER.",
        data.display()
    )
}

fn not_the_owner(data: &Path, error: &io::Error) -> String {
    format!(
        "the hall on {} answers only the user that runs it ({error}). Run the command as that user.",
        data.display()
    )
}

fn fail(message: &str) -> Status {
    eprintln!("hall admin: {message}");
    FAILED
}
