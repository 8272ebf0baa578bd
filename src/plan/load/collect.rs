//! Resolving `collect "COMMAND", ...`.

use super::resolver::Resolver;
use crate::diagnostic::{Diagnostic, codes};
use crate::plan::Collector;
use crate::syntax::Reading;

impl Resolver<'_> {
    /// The commands of one statement; what is none is reported.
    pub(super) fn collectors(&mut self, reading: &Reading<'_>) -> Vec<Collector> {
        let mut collectors = Vec::new();
        for value in reading.values("command") {
            match Collector::new(&value.value.to_string(), self.sources.place(value.span)) {
                Ok(collector) => collectors.push(collector),
                Err(why) => {
                    let wrong = Diagnostic::error(codes::BAD_COMMAND, value.span, why);
                    let example =
                        "write the program and its arguments, as in `collect \"iostat -x 1\"`";
                    self.wrong.push(wrong.help(example));
                }
            }
        }
        collectors
    }
}
