//! Limits of this process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::num::NonZeroU64;

/// Raises the limit of open files to `needed`, as far as it may be raised, and gives it.
pub fn raise_descriptors(needed: u64) -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let current = limit.current.unwrap_or(u64::MAX);
    if current >= needed {
        return current;
    }
    let wanted = limit.maximum.map_or(needed, |most| most.min(needed));
    let raised = Rlimit { current: Some(wanted), maximum: limit.maximum };
    if setrlimit(Resource::Nofile, raised).is_ok() { wanted } else { current }
}

/// Lets the calling thread wake up from sleep when it wants to, rather than up to 50 us later as
/// the kernel prefers. Intended starts of an open loop are met more closely.
pub fn wake_on_time() {
    // Where it cannot be had, sleeping is as exact as it always was.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_raised_and_never_lowered() {
        let before = raise_descriptors(0);
        assert!(before > 0);
        assert_eq!(raise_descriptors(before), before);
        assert!(raise_descriptors(before.saturating_add(1)) >= before);
    }
}
