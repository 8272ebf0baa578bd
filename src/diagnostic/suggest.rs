//! "Did you mean": the known name nearest to a mistyped one.

/// The candidate that `name` most likely meant, if one is near enough: at most a third of its
/// letters wrong. Case and `-` against `_` do not count as wrong.
pub fn suggest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let folded = fold(name);
    let length = folded.chars().count();
    if length > 64 {
        return None;
    }
    let allowed = (length / 3).max(1);
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let other = fold(candidate);
            let distance = strsim::damerau_levenshtein(&folded, &other);
            let prefix = length >= 3 && other.starts_with(&folded);
            let near = distance <= allowed && distance < length;
            (near || prefix).then_some((distance, candidate))
        })
        .min_by(|(a, x), (b, y)| a.cmp(b).then_with(|| x.cmp(y)))
        .map(|(_, candidate)| candidate)
}

/// A line of help with the suggestion, where there is one: "did you mean `innodb`?".
pub fn did_you_mean<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<String> {
    suggest(name, candidates).map(|found| format!("did you mean `{found}`?"))
}

fn fold(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::suggest;

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        let known = ["innodb", "rocksdb", "tokudb", "aria"];
        assert_eq!(suggest("inodb", known), Some("innodb"));
        assert_eq!(suggest("InnoDB2", known), Some("innodb"));
        assert_eq!(suggest("rocskdb", known), Some("rocksdb"));
        assert_eq!(suggest("memory", known), None);
        assert_eq!(suggest("", known), None);
        assert_eq!(suggest("os-cache", ["os_cache", "cache"]), Some("os_cache"));
        assert_eq!(suggest(&"x".repeat(1 << 20), known), None);
    }
}
