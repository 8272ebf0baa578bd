//! Every parser on bytes that nobody wrote.

use crate::support::fuzz::Target;
use std::thread;

/// What is fuzzed.
const TARGETS: &[fn() -> Target] = &[
    crate::suite_fuzz::target,
    crate::schema_fuzz::target,
    crate::option_file_fuzz::target,
    crate::import_fuzz::target,
    crate::journal_fuzz::target,
];

/// All targets at once, so that together they take the time of one, or the one that
/// `ENGINECMP_FUZZ_TARGET` names. `scripts/fuzz MINUTES` takes longer.
#[test]
fn nothing_that_reads_text_breaks_on_any() {
    let only = std::env::var("ENGINECMP_FUZZ_TARGET").ok();
    let (shortest, name) = thread::scope(|scope| {
        let running: Vec<_> = TARGETS
            .iter()
            .map(|make| make())
            .filter(|target| only.as_ref().is_none_or(|only| *only == target.name))
            .map(|target| {
                let name = target.name;
                (name, scope.spawn(move || target.fuzz()))
            })
            .collect();
        let inputs = running.into_iter().map(|(name, fuzzing)| {
            let inputs = fuzzing.join().unwrap_or_else(|_| panic!("{name} breaks, see above"));
            (inputs, name)
        });
        inputs.min().expect("ENGINECMP_FUZZ_TARGET names one of the targets")
    });
    assert!(shortest > 20, "{name} got {shortest} inputs");
}
