//! What programs print, without what differs from machine to machine and from run to run.

/// Columns of tables that hold times.
const TIMES: [&str; 5] = ["time each", "slowest", "time", "about", "a second"];

/// What lines about the machine say.
const MACHINE: [&str; 3] = ["one day per core", "did not have a core for", "had no time for"];

/// Fields of JSON objects that hold times, and the part of its time for which a day had a core.
const TIME_FIELDS: [&str; 3] = ["seconds", "slowest", "core"];

/// What was printed without columns of times and lines about the machine, with `...` for times in JSON and rates.
pub(crate) fn steady(printed: &str) -> String {
    let mut lines: Vec<String> = printed.lines().map(|line| fields(&rates(line))).collect();
    for name in TIMES {
        drop_column(&mut lines, name);
    }
    without_machine(lines.iter().map(String::as_str))
}

/// The lines that say nothing about the machine.
pub(crate) fn without_machine<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    let mut lines: Vec<&str> =
        lines.filter(|line| !MACHINE.iter().any(|about| line.contains(about))).collect();
    // A paragraph about the machine alone leaves an empty line too many.
    lines.dedup_by(|line, before| line.is_empty() && before.is_empty());
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Takes a right-aligned column out of every table that has it: a table begins with its headings and ends at an empty line,
/// or at one that has text in the space between columns.
fn drop_column(lines: &mut [String], name: &str) {
    let mut cut: Option<(usize, usize)> = None;
    for line in lines {
        if line.is_empty() {
            cut = None;
        } else if cut.is_none() {
            cut = heading(line, name);
        }
        let chars: Vec<char> = line.chars().collect();
        cut = cut.filter(|(from, _)| chars.iter().skip(*from).take(2).all(|c| *c == ' '));
        let Some((from, to)) = cut else { continue };
        let part = |range: std::ops::Range<usize>| {
            chars.get(range.start.min(chars.len())..range.end.min(chars.len())).unwrap_or_default()
        };
        *line = part(0..from).iter().chain(part(to..chars.len().max(to))).collect();
    }
}

/// Where a column stands, with the space in front of it, if the line has a heading of this name.
fn heading(line: &str, name: &str) -> Option<(usize, usize)> {
    let at = line.find(&format!("  {name}"))?;
    let before = line[..at].trim_end();
    let after = &line[at + 2 + name.len()..];
    let whole = after.is_empty() || after.starts_with("  ");
    // A heading stands among others, and a sentence is no table.
    (whole && !before.is_empty()).then(|| {
        let from = before.chars().count();
        (from, line[..at].chars().count() + 2 + name.chars().count())
    })
}

/// `  1,234/s` is ` .../s`.
fn rates(line: &str) -> String {
    let mut shown = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("/s") {
        let (before, after) = rest.split_at(at);
        let bare = before.trim_end_matches(|c: char| c.is_ascii_digit() || ".,".contains(c));
        let number = bare.len() < before.len() && bare.ends_with(' ');
        if number && after[2..].chars().next().is_none_or(|c| !c.is_alphanumeric()) {
            shown += &format!("{} ...", bare.trim_end());
        } else {
            shown += before;
        }
        shown += "/s";
        rest = &after[2..];
    }
    shown + rest
}

/// `"seconds":0.25` is `"seconds":...`.
fn fields(line: &str) -> String {
    let mut line = line.to_string();
    for name in TIME_FIELDS {
        let key = format!("\"{name}\":");
        let mut from = 0;
        while let Some(at) = line[from..].find(&key) {
            from += at + key.len();
            let number = |c: &char| c.is_ascii_digit() || ".eE+-".contains(*c);
            let length = line[from..].chars().take_while(number).count();
            line.replace_range(from..from + length, "...");
        }
    }
    line
}

/// The first line of `shown`, with its place, that is not printed in its order, numbers aside.
pub(crate) fn missing<'s>(shown: &'s str, printed: &str) -> Option<(usize, &'s str)> {
    let mut printed = printed.lines().map(words);
    shown.lines().enumerate().find(|(_, line)| {
        let wanted = words(line);
        !printed.any(|line| line == wanted)
    })
}

/// The words of a line: no numbers, no units of time.
fn words(line: &str) -> Vec<String> {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphabetic()).to_string();
    let unit = |word: &String| ["us", "ms", "s"].contains(&word.as_str());
    line.split_whitespace().map(bare).filter(|word| !word.is_empty() && !unit(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_times_are_left_out() {
        let table = |each: &str, worst: &str| {
            format!(
                "a day\n\nagent      cost   to ruin  decisions  time each  slowest  note\n\
                 solo2    31,171   -6.91 %         78  {each:>9}  {worst:>7}  a note\n\
                 qnet     failed\n\nit took some time each\nsolo  time\n"
            )
        };
        let last = "agent  cost  slowest\nruin      1     2 us\nseed 0, at most 10 a decision\n";
        assert_eq!(steady(last), "agent  cost\nruin      1\nseed 0, at most 10 a decision\n");
        let one = steady(&table("9.99 ms", "10.0 ms"));
        assert_eq!(one, steady(&table("143 us", "1.00 s")));
        assert_eq!(
            one,
            "a day\n\nagent      cost   to ruin  decisions  note\n\
             solo2    31,171   -6.91 %         78  a note\n\
             qnet     failed\n\nit took some time each\nsolo\n"
        );
    }

    #[test]
    fn rates_and_times_in_json_are_dots() {
        let line = "  12 steps,    323/s  cost 33,900";
        assert_eq!(steady(line), "  12 steps, .../s  cost 33,900\n");
        assert_eq!(steady("cvrp-20/seed0-0, 2 km/s, 20/set"), "cvrp-20/seed0-0, 2 km/s, 20/set\n");
        let json = "{\"cost\":7.3,\"seconds\":4.1e-2,\"slowest\":0.0035,\"notes\":[]}";
        let dots = "{\"cost\":7.3,\"seconds\":...,\"slowest\":...,\"notes\":[]}\n";
        assert_eq!(steady(json), dots);
    }

    #[test]
    fn a_busy_machine_leaves_no_trace() {
        let quiet = "ruin  3\n\nsolo2 saves 2 %.\n";
        let busy = "ruin  3\n\nruin: did not have a core for itself\nsolo2: 2 of 8 decisions \
                    had no time for a rollout\n\nsolo2 saves 2 %.\n";
        assert_eq!(without_machine(busy.lines()), quiet);
        assert_eq!(without_machine(quiet.lines()), quiet);
    }

    #[test]
    fn words_are_found_whatever_the_numbers() {
        let shown = "solo2  31,171  -6.91 %  9.99 ms\n\nsolo2 saves 6.9 %.\n";
        let printed = "solo2  30,002  +6 %  99 us\na new note\n\nsolo2 saves 7 %.\n";
        assert_eq!(missing(shown, printed), None);
        let other = printed.replace("saves", "costs");
        assert_eq!(missing(shown, &other), Some((2, "solo2 saves 6.9 %.")));
        assert_eq!(missing("b 1\na 1\n", "a 2\nb 2\n"), Some((1, "a 1")));
    }
}
