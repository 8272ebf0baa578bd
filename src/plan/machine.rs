//! `machine { ... }`: limits inside which servers run. `start ...`: what is in the caches when the
//! measuring begins.

use super::OsCache;
use super::expand::Combination;
use crate::diagnostic::{Diagnostic, codes};
use crate::model::SettingValue;
use std::fmt;
use std::time::Duration;

/// `machine { memory 2GB; cpus 0..1; client_cpus 2..3 }`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineLimits {
    /// Memory of a server, bytes, its share of the page cache included.
    pub memory: Option<u64>,
    /// Processors of servers, first and last.
    pub cpus: Option<(u32, u32)>,
    /// Processors of clients, first and last.
    pub client_cpus: Option<(u32, u32)>,
}

impl MachineLimits {
    /// Reads `0..1` or `3`, as the language writes processors.
    pub(super) fn processors(text: &str) -> Option<(u32, u32)> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        Some((first.parse().ok()?, last.parse().ok()?))
    }
}

impl fmt::Display for MachineLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = self.memory.map(|bytes| format!("memory {}", SettingValue::Size(bytes)));
        let of = |name: &str, range: Option<(u32, u32)>| {
            range.map(|(first, last)| format!("{name} {first}..{last}"))
        };
        let all = [memory, of("cpus", self.cpus), of("client_cpus", self.client_cpus)];
        let all: Vec<String> = all.into_iter().flatten().collect();
        f.write_str(&all.join(" "))
    }
}

/// What is in the caches when the measuring begins, after the rules of ClickBench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartState {
    /// Nothing: a fresh server start, the operating system's caches dropped, no warm-up.
    Cold,
    /// The server's own caches are full after the warm-up, the operating system's are dropped.
    Lukewarm,
    /// A fresh server start, its files in the operating system's page cache, no warm-up.
    Warm,
    /// Whatever the warm-up leaves, in both.
    Hot,
}

impl StartState {
    fn find(word: &str) -> Option<Self> {
        Some(match word {
            "cold" => Self::Cold,
            "lukewarm" => Self::Lukewarm,
            "warm" => Self::Warm,
            "hot" => Self::Hot,
            _ => return None,
        })
    }
}

/// Cache and warm-up of a combination with what `start` makes of them.
pub(super) struct Begin {
    pub(super) start: Option<StartState>,
    pub(super) os_cache: OsCache,
    pub(super) warmup: Duration,
}

/// Works out how a combination begins. What contradicts is reported.
pub(super) fn begin(
    combination: &Combination,
    warmup: Duration,
    runs_already: bool,
    wrong: &mut Vec<Diagnostic>,
) -> Begin {
    let stated = combination.setting("os_cache");
    let os_cache = match combination.settings.get("os_cache").and_then(SettingValue::as_str) {
        Some("drop") => OsCache::Drop,
        _ => OsCache::Keep,
    };
    let resolved = combination.setting("start");
    let start = resolved.and_then(|r| r.value.value.as_str()).and_then(StartState::find);
    let plain = Begin { start, os_cache, warmup };
    let (Some(state), Some(resolved)) = (start, resolved) else { return plain };
    let span = resolved.value.span;
    let mut refuse = |message: &str, help: &str| {
        let known = wrong.iter().any(|known| known.primary.span == span);
        if !known {
            let error = Diagnostic::error(codes::BAD_PARAMETER, span, message).help(help);
            wrong.push(match stated {
                Some(other) => error.also(other.value.span, "`os_cache` is stated here"),
                None => error,
            });
        }
    };
    let opposite = match state {
        StartState::Cold => stated.is_some() && os_cache == OsCache::Keep,
        StartState::Warm | StartState::Hot => stated.is_some() && os_cache == OsCache::Drop,
        StartState::Lukewarm => stated.is_some(),
    };
    if opposite {
        refuse(
            "`start` and `os_cache` say unlike things",
            "leave `os_cache` out: `start` says both",
        );
    } else if runs_already {
        refuse(
            "a server that runs already cannot be started in a state",
            "name it by `release` or `basedir`, so that enginecmp starts it",
        );
    } else if matches!(state, StartState::Lukewarm | StartState::Hot) && warmup.is_zero() {
        refuse("nothing fills the caches before the measuring", "state `warmup 2m`");
    }
    match state {
        StartState::Cold => Begin { start, os_cache: OsCache::Drop, warmup: Duration::ZERO },
        StartState::Warm => Begin { start, os_cache: OsCache::Keep, warmup: Duration::ZERO },
        StartState::Lukewarm | StartState::Hot => plain,
    }
}
