//! What a user can do about a failure, where the failure itself does not say.

use crate::model::{Failure, FailureKind};

const RETRY: &str = "`run SUITE --resume DIR --retry-failed` then makes what failed again";

/// The failure with a next step, unless it has one or nothing is known.
pub(super) fn advised(failure: Failure) -> Failure {
    if failure.next_step.is_some() {
        return failure;
    }
    match advice(&failure) {
        Some(advice) => failure.next_step(format!("{advice}; {RETRY}")),
        None => failure,
    }
}

fn advice(failure: &Failure) -> Option<&'static str> {
    let said = |words: &[&str]| {
        let own = failure.message.to_lowercase();
        let log = failure.log_tail.iter().map(|line| line.to_lowercase());
        std::iter::once(own).chain(log).any(|line| words.iter().any(|word| line.contains(word)))
    };
    match failure.errno {
        Some(1040 | 1203 | 1226) => {
            return Some("raise `max_connections`, or use fewer clients");
        }
        Some(2002 | 2003) => {
            return Some("the server runs and takes no connection: look at its log");
        }
        Some(1290 | 1836) => return Some("the server is read-only: find out who set that"),
        _ => {}
    }
    if matches!(failure.errno, Some(1021 | 1114))
        || said(&[
            "no space left",
            "errno: 28",
            "errcode: 28",
            "error 28",
            "disk full",
            "disk is full",
        ])
    {
        return Some(
            "free space on the file system of the work directory, or name another with `--work DIR`",
        );
    }
    if said(&["read-only file system", "errno: 30", "errcode: 30", "error 30"]) {
        return Some(
            "the file system is mounted read-only: `dmesg` says whether its disk has errors",
        );
    }
    match failure.kind {
        FailureKind::ServerDied if said(&["used up the memory"]) => {
            Some("use a smaller `cache` or fewer clients, or allow more with `machine { memory }`")
        }
        FailureKind::ServerDied if said(&["signal 9"]) => Some(
            "signal 9 came from outside; the kernel sends it when memory runs out (`dmesg` says \
             `Out of memory`): use a smaller `cache`, or give the server more memory",
        ),
        FailureKind::ServerDied => Some("the last lines of its log say why it ended"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Phase;

    #[test]
    fn each_cause_has_a_next_step_and_one_that_is_there_stays() {
        let of = |kind, message: &str, errno| {
            let failure = Failure { errno, ..Failure::new(Phase::Measure, kind, message) };
            advised(failure).next_step.unwrap_or_default()
        };
        let died = FailureKind::ServerDied;
        assert!(of(FailureKind::Sql, "ERROR 1040", Some(1040)).contains("max_connections"));
        assert!(of(FailureKind::Sql, "ERROR 1021", Some(1021)).contains("--work"));
        // InnoDB says this of a disk that is full.
        assert!(of(FailureKind::Sql, "The table 't' is full", Some(1114)).contains("--work"));
        assert!(of(FailureKind::Sql, "Connection refused", Some(2002)).contains("its log"));
        assert!(
            of(died, "InnoDB: Error number 28: No space left on device", None).contains("free")
        );
        assert!(of(FailureKind::Io, "Read-only file system (os error 30)", None).contains("dmesg"));
        assert!(of(died, "the server ended (signal 9 (killed))", None).contains("memory"));
        let limit = "the server ended (killed by the kernel, since it used up the memory that";
        assert!(of(died, limit, None).contains("machine { memory }"));
        assert!(of(died, "the server ended (signal 6 (aborted))", None).contains("its log"));
        assert_eq!(of(FailureKind::Check, "condition 1 is violated", None), "");
        let own = Failure::new(Phase::Start, died, "signal 9").next_step("do this");
        assert_eq!(advised(own).next_step.as_deref(), Some("do this"));
    }
}
