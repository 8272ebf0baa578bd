//! Shared libraries that a server wants and this machine lacks: read out of what the dynamic linker
//! says, with the package that has them.

/// Libraries that builds of servers and their plugins want, by the beginning of their name, with
/// Debian's packages, those of newer releases first.
const PACKAGES: &[(&str, &str)] = &[
    ("libaio.so.1", "libaio1t64` or `libaio1"),
    ("libcrypt.so.1", "libcrypt1"),
    ("libcrypto.so.3", "libssl3t64` or `libssl3"),
    ("libssl.so.3", "libssl3t64` or `libssl3"),
    ("libcurl.so.4", "libcurl4t64` or `libcurl4"),
    ("libgflags.so.2", "libgflags2.2"),
    ("libjemalloc.so.1", "libjemalloc1"),
    ("libjemalloc.so.2", "libjemalloc2"),
    ("liblz4.so.1", "liblz4-1"),
    ("libncurses.so.5", "libncurses5"),
    ("libncurses.so.6", "libncurses6"),
    ("libnuma.so.1", "libnuma1"),
    ("libpcre2-8.so.0", "libpcre2-8-0"),
    ("libsnappy.so.1", "libsnappy1v5"),
    ("libstdc++.so.6", "libstdc++6"),
    ("libsystemd.so.0", "libsystemd0"),
    ("libtcmalloc_minimal.so.4", "libtcmalloc-minimal4t64` or `libtcmalloc-minimal4"),
    ("libtinfo.so.5", "libtinfo5"),
    ("libtinfo.so.6", "libtinfo6"),
    ("liburing.so.2", "liburing2"),
    ("libz.so.1", "zlib1g"),
    ("libzstd.so.1", "libzstd1"),
];

/// What to do about what the dynamic linker says; none when this is not about a library.
pub fn advice(said: &str) -> Option<String> {
    let lower = said.to_ascii_lowercase();
    if let Some(version) = wanted_version(said) {
        return Some(format!(
            "It was built for a newer system, whose C library has {version}: take a build for this \
             system, or one that brings its own libraries"
        ));
    }
    if !["shared librar", "shared object"].iter().any(|words| lower.contains(words)) {
        return None;
    }
    let library = said
        .split(|c: char| c.is_whitespace() || matches!(c, ':' | '\'' | '"' | '(' | ')' | ','))
        .filter_map(|word| word.rsplit('/').next())
        // A plugin that cannot be loaded is named as well, and is not what is missing.
        .find(|word| word.starts_with("lib") && word.contains(".so"));
    let Some(library) = library else {
        return Some("Install the library that it names".to_string());
    };
    Some(match PACKAGES.iter().find(|(name, _)| library == *name) {
        Some((_, package)) => {
            format!("Install the library {library} (Debian: `apt-get install {package}`)")
        }
        None => format!(
            "Install the library {library} (Debian: `apt-file search {library}` names its package; \
             RPM: `dnf provides '*/{library}'`)"
        ),
    })
}

/// ``version `GLIBC_2.38' not found`` is GLIBC_2.38.
fn wanted_version(said: &str) -> Option<&str> {
    let (before, _) = said.split_once("' not found")?;
    before.rsplit_once("version `").map(|(_, version)| version)
}

#[cfg(test)]
mod tests {
    use super::advice;

    #[test]
    fn the_library_that_is_missing_is_named_with_its_package() {
        let of = |said: &str| advice(said).unwrap_or_default();
        let known = "/opt/m/bin/mysqld: error while loading shared libraries: libaio.so.1: cannot \
                     open shared object file: No such file or directory";
        assert_eq!(
            of(known),
            "Install the library libaio.so.1 (Debian: `apt-get install libaio1t64` or `libaio1`)"
        );
        let other = "mysqld: error while loading shared libraries: libnothing.so.9: cannot open \
                     shared object file: No such file or directory";
        assert!(of(other).contains("`apt-file search libnothing.so.9`"), "{}", of(other));
        let plugin = "Can't open shared library '/usr/lib/mysql/plugin/ha_rocksdb.so' (errno: 2, \
                      libsnappy.so.1: cannot open shared object file)";
        assert!(of(plugin).contains("libsnappy1v5"), "{}", of(plugin));
        let newer = "mysqld: /lib/libc.so.6: version `GLIBC_2.38' not found (required by mysqld)";
        assert!(of(newer).contains("GLIBC_2.38"), "{}", of(newer));
        assert_eq!(advice("[ERROR] unknown variable 'a=1'"), None);
    }
}
