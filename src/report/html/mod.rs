//! The report as one page: no network, from disk, light and dark, on paper and on a phone.
//!
//! Everything that comes from servers, suites and logs is escaped. The page works without its
//! script; the script sorts and filters tables and tells values under the pointer.

mod ddl;
mod figures;
mod table;
mod verdict;

use super::page::{Page, page};
use super::text::escaped_markup as escaped;
use crate::compare::Comparison;
use crate::compare::view::Outcome;
use std::fmt::Write;

/// The whole page.
pub(super) fn render(comparison: &Comparison) -> String {
    let laid_out = page(comparison);
    let mut out = String::new();
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"enginecmp\">\n<title>{}</title>\n\
         <style>\n{}\n{}</style>\n</head>\n<body>\n<main>\n",
        escaped(&laid_out.title),
        super::figure::STYLE,
        include_str!("page.css"),
    );
    heading(&mut out, &laid_out);
    verdict::write(&mut out, comparison);
    expectations(&mut out, &laid_out);
    tables(&mut out, &laid_out);
    figures::write(&mut out, comparison);
    collected(&mut out, &laid_out);
    failures(&mut out, &laid_out);
    findings(&mut out, &laid_out);
    ddl::write(&mut out, comparison);
    origin(&mut out, comparison, &laid_out);
    let _ = write!(
        out,
        "</main>\n<div id=\"tip\" role=\"status\" hidden></div>\n<script>\n{}</script>\n</body>\n</html>\n",
        include_str!("page.js")
    );
    out
}

fn heading(out: &mut String, page: &Page) {
    let _ = writeln!(out, "<header>\n<h1>{}</h1>", escaped(&page.title));
    for line in &page.about {
        let _ = writeln!(out, "<p class=\"about\">{}</p>", escaped(line));
    }
    if let Some(incomplete) = &page.incomplete {
        let _ = writeln!(
            out,
            "<p class=\"warn\"><strong>Incomplete:</strong> {}</p>",
            escaped(incomplete)
        );
    }
    out.push_str("</header>\n");
}

fn expectations(out: &mut String, page: &Page) {
    if page.expectations.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>Expectations</h2>\n<ul class=\"plain\">\n");
    for expected in &page.expectations {
        let class = match expected.outcome {
            Outcome::Holds => "good",
            Outcome::Fails => "bad",
            Outcome::CannotTell => "quiet",
        };
        let _ = writeln!(
            out,
            "<li><strong class=\"{class}\">{}</strong> <code>{}</code> <small>{}</small>",
            expected.outcome.as_str(),
            escaped(&expected.text),
            escaped(&expected.place.to_string())
        );
        out.push_str("<ul>\n");
        for case in &expected.cases {
            let _ = writeln!(
                out,
                "<li>{}: {}: {}</li>",
                case.outcome.as_str(),
                escaped(&case.cell.to_string()),
                escaped(&case.seen)
            );
        }
        out.push_str("</ul></li>\n");
    }
    out.push_str("</ul>\n</section>\n");
}

fn tables(out: &mut String, page: &Page) {
    let mut open = false;
    for block in &page.blocks {
        if !block.heading.is_empty() {
            if open {
                out.push_str("</section>\n");
            }
            let _ = writeln!(out, "<section>\n<h2>{}</h2>", escaped(&block.heading));
            open = true;
        }
        for line in &block.about {
            let _ = writeln!(out, "<p class=\"about\">{}</p>", escaped(line));
        }
        if !block.grid.title.is_empty() {
            let _ = writeln!(out, "<h3>{}</h3>", escaped(&block.grid.title));
        }
        table::write(out, &block.grid);
    }
    if open {
        out.push_str("</section>\n");
    }
    list(out, "legend", &page.legend);
    list(out, "only-in", &page.only_in);
}

fn list(out: &mut String, class: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "<ul class=\"{class}\">");
    for line in lines {
        let _ = writeln!(out, "<li>{}</li>", escaped(line));
    }
    out.push_str("</ul>\n");
}

/// Links to what commands of the user said. They lead to files beside the journal, where the page is
/// written, too.
fn collected(out: &mut String, page: &Page) {
    if page.collected.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>Collected</h2>\n");
    for command in &page.collected {
        let files = command.files.len();
        let _ = writeln!(
            out,
            "<details><summary><code>{}</code>, {files} file{}</summary>\n<ul class=\"plain\">",
            escaped(&command.command),
            if files == 1 { "" } else { "s" },
        );
        for one in &command.files {
            let (file, about) = (escaped(&one.file), escaped(&one.about));
            let _ = writeln!(out, "<li><a href=\"{file}\">{file}</a>: {about}</li>");
        }
        out.push_str("</ul>\n</details>\n");
    }
    out.push_str("</section>\n");
}

fn failures(out: &mut String, page: &Page) {
    if page.failures.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>Failures</h2>\n");
    for failed in &page.failures {
        let _ = writeln!(out, "<article class=\"failure\">\n<p>{}</p>", escaped(&failed.what));
        let _ = writeln!(out, "<p class=\"about\">{}</p>", escaped(&failed.cells.join("; ")));
        if let Some(next) = &failed.next_step {
            let _ = writeln!(out, "<p><strong>Next:</strong> {}</p>", escaped(next));
        }
        if !failed.log_tail.is_empty() {
            let _ = writeln!(out, "<pre>{}</pre>", escaped(&failed.log_tail.join("\n")));
        }
        if let Some(place) = &failed.place {
            let _ = writeln!(out, "<p class=\"about\">asked for at {}</p>", escaped(place));
        }
        out.push_str("</article>\n");
    }
    out.push_str("</section>\n");
}

fn findings(out: &mut String, page: &Page) {
    if page.findings.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>Findings</h2>\n<dl class=\"findings\">\n");
    for finding in &page.findings {
        let _ = writeln!(
            out,
            "<dt><code>{}</code> {}</dt>\n<dd>{}",
            finding.code.code(),
            escaped(finding.code.title()),
            escaped(&finding.seen)
        );
        if !finding.cells.is_empty() {
            let _ = writeln!(
                out,
                "<details><summary>{} cell{}</summary><p class=\"about\">{}</p></details>",
                finding.cells.len(),
                if finding.cells.len() == 1 { "" } else { "s" },
                escaped(&finding.cells.join("; "))
            );
        }
        out.push_str("</dd>\n");
    }
    out.push_str("</dl>\n</section>\n");
}

/// Where the report comes from, and how to make it again.
fn origin(out: &mut String, comparison: &Comparison, page: &Page) {
    let heading = &comparison.heading;
    let mut command = format!("enginecmp {}", heading.suite_file);
    for profile in &heading.profiles {
        let _ = write!(command, " --profile {profile}");
    }
    for set in &heading.sets {
        let _ = write!(command, " --set '{set}'");
    }
    let _ = write!(
        out,
        "<section>\n<h2>Environment</h2>\n<ul class=\"plain\">\n<li>started {}</li>\n",
        escaped(&heading.at)
    );
    for line in &page.about {
        let _ = writeln!(out, "<li>{}</li>", escaped(line));
    }
    let mut servers: Vec<String> = Vec::new();
    for server in comparison.sections.iter().flat_map(|section| &section.servers) {
        let line = format!("server {}: {} {}", server.name, server.family, server.version);
        if !server.version.is_empty() && !servers.contains(&line) {
            let _ = writeln!(out, "<li>{}</li>", escaped(&line));
            servers.push(line);
        }
    }
    out.push_str("</ul>\n");
    if !heading.suite_text.is_empty() {
        let _ = write!(
            out,
            "<p>Made by</p>\n<pre>{}</pre>\n<details><summary>The suite, {}</summary>\n<pre>{}</pre></details>\n",
            escaped(&command),
            escaped(&heading.suite_file),
            escaped(&heading.suite_text)
        );
    }
    out.push_str("</section>\n");
}
