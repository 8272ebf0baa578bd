//! Words that journals of earlier builds have for what is called otherwise now.

use serde::{Deserialize, Deserializer};

/// Reads the identity of a workload, whose versions were `data` and `semantics` for some kinds.
pub(super) fn workload<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    String::deserialize(from).map(|identity| in_words_of_now(&identity))
}

fn in_words_of_now(identity: &str) -> String {
    let versions = |rest: &str| -> Option<String> {
        let (data, semantics) = rest.split_once(", semantics ")?;
        let number = |text: &str| text.parse::<u32>().is_ok();
        (number(data) && number(semantics))
            .then(|| format!(", generator version {data}, transactions version {semantics}"))
    };
    identity
        .rsplit_once(", data ")
        .and_then(|(name, rest)| Some(format!("{name}{}", versions(rest)?)))
        .unwrap_or_else(|| identity.to_string())
}

#[cfg(test)]
mod tests {
    use super::in_words_of_now;

    #[test]
    fn versions_are_called_as_those_of_tpcc_are() {
        assert_eq!(
            in_words_of_now("oltp_delete, distribution uniform, data 1, semantics 2"),
            "oltp_delete, distribution uniform, generator version 1, transactions version 2"
        );
    }

    #[test]
    fn what_states_no_versions_stays_as_it_is() {
        for identity in [
            "tpcc, generator version 1, transactions version 1",
            "external sysbench a.lua --mix=a, data 1, semantics of mine",
            "sql, text 12ab, mix pay 1, data uniform",
        ] {
            assert_eq!(in_words_of_now(identity), identity);
        }
    }
}
