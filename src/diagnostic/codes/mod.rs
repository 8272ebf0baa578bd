//! The stable codes of diagnostics: `E01xx` syntax, `E02xx` resolving, `E03xx` planning, `E04xx`
//! judging. A code never changes its meaning; `enginecmp explain CODE` prints its text.

/// What `enginecmp explain CODE` knows of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// The code, such as `E0105`.
    pub code: &'static str,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// Why it is an error and what to do, a few sentences.
    pub explanation: &'static str,
    /// Suite text that has this error.
    pub wrong: &'static str,
    /// The same without it.
    pub right: &'static str,
}

/// Makes a constant of each code, and a table of all of one stage.
macro_rules! codes {
    ($table:ident: $($name:ident = $code:literal, $title:literal, $explanation:literal,
        wrong $wrong:literal, right $right:literal;)*) => {
        $(#[doc = concat!($title, ".")] pub const $name: &str = $code;)*
        pub(super) static $table: &[super::Code] = &[$(super::Code {
            code: $code,
            title: $title,
            explanation: $explanation,
            wrong: $wrong,
            right: $right,
        },)*];
    };
}

mod plan;
mod resolve;
mod syntax;

pub use plan::*;
pub use resolve::*;
pub use syntax::*;

/// Every code, in order of stages.
pub fn all() -> impl Iterator<Item = &'static Code> {
    [syntax::SYNTAX, resolve::RESOLVE, plan::PLAN].into_iter().flatten()
}

/// The entry of a code, without regard to case.
pub fn find(code: &str) -> Option<&'static Code> {
    all().find(|entry| entry.code.eq_ignore_ascii_case(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_ascend() {
        let codes: Vec<_> = all().map(|entry| entry.code).collect();
        let mut sorted = codes.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(codes, sorted);
    }
}
