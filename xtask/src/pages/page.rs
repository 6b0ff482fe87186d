//! A page: prose, blocks of commands, and what they print.
//!
//! ```` ```sh ```` is run and must succeed, ```` ```sh fails ```` must fail, and ```` ```sh no-run ```` is skipped. If the
//! next block is ```` ```text ````, it is what the commands print; ```` ```text numbers vary ```` is that but for its
//! numbers. Other blocks and HTML comments are prose.

use super::steady::{steady, without_machine};

/// A page, ready to run.
pub(crate) struct Page {
    lines: Vec<String>,
    /// The blocks of commands, in order.
    pub(crate) steps: Vec<Step>,
    /// The lines of the blocks that are not run.
    pub(crate) skipped: Vec<usize>,
}

/// A block of commands.
pub(crate) struct Step {
    /// Its line on the page, from 1.
    pub(crate) line: usize,
    /// The commands.
    pub(crate) script: String,
    /// Whether they should fail.
    pub(crate) fails: bool,
    /// What they print, if the page shows it.
    pub(crate) output: Option<Output>,
}

/// A block with what commands print.
pub(crate) struct Output {
    /// Its line on the page, from 1.
    pub(crate) line: usize,
    /// What it says, each line ended.
    pub(crate) text: String,
    /// How it is compared.
    pub(crate) compare: Compare,
}

/// How a page's output is compared with what is printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Compare {
    /// It is the same, but for what differs from machine to machine.
    Exactly,
    /// Its words are there in order, whatever the numbers.
    Words,
}

/// A fenced block: what follows its opening fence, the line of that, and what is inside.
struct Fence {
    info: String,
    line: usize,
    text: String,
}

impl Page {
    /// Reads a page. An error begins with the line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let lines: Vec<String> = text.lines().map(str::to_string).collect();
        let (mut steps, mut skipped): (Vec<Step>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut open = false; // whether the next block may be the last step's output
        for fence in fences(&lines)? {
            let Fence { info, line, text } = fence;
            let was = std::mem::replace(&mut open, false);
            match info.as_str() {
                "sh" | "sh fails" => {
                    let fails = info == "sh fails";
                    steps.push(Step { line, script: text, fails, output: None });
                    open = true;
                }
                "sh no-run" => skipped.push(line),
                "text" | "text numbers vary" if was => {
                    let exactly = info == "text";
                    let compare = if exactly { Compare::Exactly } else { Compare::Words };
                    let last = steps.last_mut().expect("a step has opened it");
                    last.output = Some(Output { line, text, compare });
                }
                other if other.starts_with("sh") => {
                    return Err(format!("{line}: '{other}' should be sh, sh fails or sh no-run"));
                }
                _ => {}
            }
        }
        Ok(Self { lines, steps, skipped })
    }

    /// The page with what its steps print, in their order.
    pub(crate) fn with_outputs(&self, printed: &[String]) -> String {
        let mut lines = self.lines.clone();
        // From the back, so that the lines in front keep their numbers.
        for (step, printed) in self.steps.iter().zip(printed).rev() {
            let Some(output) = &step.output else { continue };
            let text = match output.compare {
                Compare::Exactly => steady(printed),
                Compare::Words => without_machine(printed.lines()),
            };
            let new: Vec<String> = text.lines().map(|line| line.trim_end().to_string()).collect();
            let old = output.line..output.line + output.text.lines().count();
            lines.splice(old, new);
        }
        lines.join("\n") + "\n"
    }
}

/// The fenced blocks, comments aside.
fn fences(lines: &[String]) -> Result<Vec<Fence>, String> {
    let mut all = Vec::new();
    let mut open: Option<Fence> = None;
    let mut comment = false;
    for (index, line) in lines.iter().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some(_)) => all.extend(open.take()),
            (Some(fence), None) => fence.text += &format!("{line}\n"),
            (None, Some(info)) if !comment => {
                let (info, line) = (info.trim().to_string(), index + 1);
                open = Some(Fence { info, line, text: String::new() });
            }
            (None, _) => {
                comment = if comment { !line.contains("-->") } else { begins_comment(line) };
            }
        }
    }
    match open {
        Some(fence) => Err(format!("{}: the block has no end", fence.line)),
        None => Ok(all),
    }
}

/// Whether a comment begins on this line and does not end there.
fn begins_comment(line: &str) -> bool {
    line.rsplit_once("<!--").is_some_and(|(_, rest)| !rest.contains("-->"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# A page

```sh
solo list
```

It prints

```text
old
two lines
```
<!-- later:
```sh
rm -r everything
```
-->
```sh fails
solo nothing
```
```json
{}
```
```text
not an output
```
```sh no-run
sleep 1000
```
```sh
date
```
```text numbers vary
12
```
";

    #[test]
    fn a_page_is_its_commands_with_what_they_print() {
        let page = Page::parse(PAGE).unwrap();
        let scripts: Vec<&str> = page.steps.iter().map(|step| step.script.as_str()).collect();
        assert_eq!(scripts, ["solo list\n", "solo nothing\n", "date\n"]);
        assert_eq!(page.steps.iter().map(|s| s.fails).collect::<Vec<_>>(), [false, true, false]);
        let output = page.steps[0].output.as_ref().unwrap();
        assert_eq!((output.line, output.text.as_str()), (9, "old\ntwo lines\n"));
        assert_eq!(output.compare, Compare::Exactly);
        assert!(page.steps[1].output.is_none());
        assert_eq!(page.steps[2].output.as_ref().unwrap().compare, Compare::Words);
        assert_eq!(page.skipped, [27]);
    }

    #[test]
    fn what_is_printed_takes_the_place_of_what_was() {
        let page = Page::parse(PAGE).unwrap();
        let printed = ["new".to_string(), "ignored\n".to_string(), "now 13 \nand 14\n".to_string()];
        let new = page.with_outputs(&printed);
        let wanted = PAGE.replace("old\ntwo lines\n", "new\n").replace("12\n", "now 13\nand 14\n");
        assert_eq!(new, wanted);
        let same = Page::parse(&new).unwrap().with_outputs(&printed);
        assert_eq!(same, new);
    }

    #[test]
    fn a_block_that_is_not_understood_is_an_error() {
        assert_eq!(Page::parse("```sh\nls\n").err().unwrap(), "1: the block has no end");
        let error = Page::parse("\n```sh maybe\nls\n```\n").err().unwrap();
        assert!(error.starts_with("2: 'sh maybe' should be"), "{error}");
    }
}
