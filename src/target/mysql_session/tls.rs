//! TLS to a server that runs elsewhere: who must vouch for it, and in what words a certificate is
//! refused.

use super::{Address, ConnectOptions};
use crate::target::session::SqlError;
use jiff::Timestamp;
use mysql::error::tls::TlsError;
use mysql::{DriverError, SslOpts};
use rustls::pki_types::UnixTime;
use rustls::{AlertDescription, CertificateError, Error};
use std::fs;
use std::io;
use std::path::Path;

/// The options of a connection to a server for which an authority in this file vouches.
pub(super) fn options(authorities: &Path) -> Result<SslOpts, SqlError> {
    let unusable = |why: &str| SqlError {
        next_step: Some(
            "Name in `tls_ca` a file with the certificate of the authority, PEM or DER.",
        ),
        ..SqlError::local(format!("{} {why}", authorities.display()))
    };
    let bytes =
        fs::read(authorities).map_err(|error| unusable(&format!("cannot be read: {error}")))?;
    // The library takes a file without PEM for DER, and an empty one for no authority at all.
    let is_pem = bytes.windows(PEM.len()).any(|window| window == PEM);
    if !is_pem && bytes.first() != Some(&DER) {
        return Err(unusable("holds no certificate"));
    }
    Ok(SslOpts::default().with_root_cert_path(Some(authorities.to_path_buf())))
}

/// How a certificate begins in PEM.
const PEM: &[u8] = b"-----BEGIN CERTIFICATE-----";
/// How one begins in DER: a sequence.
const DER: u8 = 0x30;

/// What an error while connecting says of TLS; none when it is about something else.
pub(super) fn refusal(error: &mysql::Error, options: &ConnectOptions) -> Option<SqlError> {
    let authorities = options.tls_ca.as_deref()?;
    let (said, next_step) = match (error, of_tls(error)) {
        (mysql::Error::DriverError(DriverError::TlsNotSupported), _) => (
            "the server offers no TLS".to_string(),
            "Give the server a certificate (ssl_cert, ssl_key); one on this machine can be \
             reached without `tls_ca`.",
        ),
        (_, Some(Error::InvalidCertificate(why))) => certificate(why, authorities, options),
        (_, Some(other)) => (
            format!("TLS with the server failed: {}", in_words(other)),
            "The server must speak TLS 1.2 or 1.3; what it says stands in its error log.",
        ),
        _ => return None,
    };
    Some(SqlError { next_step: Some(next_step), ..SqlError::local(said) })
}

/// The error of the TLS library inside one of the client library.
fn of_tls(error: &mysql::Error) -> Option<&Error> {
    match error {
        mysql::Error::TlsError(TlsError::Tls(error)) => Some(error),
        mysql::Error::IoError(error) => error.get_ref()?.downcast_ref(),
        mysql::Error::CodecError(error) => {
            let source = std::error::Error::source(error)?;
            source.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref()
        }
        _ => None,
    }
}

/// Why a certificate is refused, and what to do.
fn certificate(
    why: &CertificateError,
    authorities: &Path,
    options: &ConnectOptions,
) -> (String, &'static str) {
    let expired = "Give the server a new certificate.";
    let early = "Give the server a certificate that is valid by now, or set this machine's clock.";
    let name = "Reach the server by a name that its certificate has, or give it one for this name.";
    match why {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => (
            format!(
                "the server's certificate is not signed by an authority in {}",
                authorities.display()
            ),
            "Name in `tls_ca` the certificate of the authority that signed it; a server that made \
             its own keeps it as ca.pem in its data directory.",
        ),
        CertificateError::Expired => ("the server's certificate has expired".to_string(), expired),
        CertificateError::ExpiredContext { not_after, .. } => {
            (format!("the server's certificate expired on {}", day(*not_after)), expired)
        }
        CertificateError::NotValidYet => {
            ("the server's certificate is not valid yet".to_string(), early)
        }
        CertificateError::NotValidYetContext { not_before, .. } => {
            (format!("the server's certificate is not valid before {}", day(*not_before)), early)
        }
        CertificateError::NotValidForName => {
            (format!("the server's certificate is not for {}", host(options)), name)
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            let names: Vec<&str> = presented.iter().map(|name| bare(name)).collect();
            let are = if names.is_empty() {
                "names no host".to_string()
            } else {
                format!("is for {}", names.join(", "))
            };
            (format!("the server's certificate {are}, and not for {}", host(options)), name)
        }
        other => (
            format!("the server's certificate is refused: {other}"),
            "Give the server a certificate of version 3 that names its host and is signed by the \
             authority in `tls_ca`.",
        ),
    }
}

fn host(options: &ConnectOptions) -> &str {
    match &options.address {
        Address::Tcp { host, .. } => host,
        Address::Socket(_) => "localhost",
    }
}

/// `DnsName("db1")` is `db1`.
fn bare(name: &str) -> &str {
    let inside = name.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')'));
    inside.map_or(name, |(inside, _)| inside.trim_matches('"'))
}

/// The day of a moment, in UTC.
fn day(time: UnixTime) -> String {
    i64::try_from(time.as_secs())
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok())
        .map_or_else(|| "a day out of reach".to_string(), |time| time.strftime("%F").to_string())
}

fn in_words(error: &Error) -> String {
    match error {
        Error::AlertReceived(AlertDescription::ProtocolVersion) => {
            "it speaks no version that this program speaks".to_string()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use std::time::Duration;

    fn to(host: &str) -> ConnectOptions {
        ConnectOptions {
            address: Address::Tcp { host: host.into(), port: 3306 },
            user: "bench".into(),
            password: None,
            database: None,
            tls_ca: Some(PathBuf::from("ca.pem")),
            file_directory: None,
            within: Duration::from_secs(1),
        }
    }

    fn told(error: Error) -> SqlError {
        let error = mysql::Error::IoError(io::Error::new(io::ErrorKind::InvalidData, error));
        refusal(&error, &to("db2")).expect("it is about TLS")
    }

    #[test]
    fn a_refused_certificate_is_told_with_its_reason_and_what_to_do() {
        let at = |seconds| UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let of = |why| told(Error::InvalidCertificate(why));
        for (error, said, next) in [
            (
                of(CertificateError::UnknownIssuer),
                "the server's certificate is not signed by an authority in ca.pem",
                "Name in `tls_ca`",
            ),
            (
                of(CertificateError::ExpiredContext {
                    time: at(2_000_000_000),
                    not_after: at(86_400),
                }),
                "the server's certificate expired on 1970-01-02",
                "a new certificate",
            ),
            (
                of(CertificateError::NotValidYetContext { time: at(1), not_before: at(172_800) }),
                "the server's certificate is not valid before 1970-01-03",
                "clock",
            ),
            (
                of(CertificateError::NotValidForNameContext {
                    expected: rustls::pki_types::ServerName::try_from("db2").expect("a name"),
                    presented: vec!["DnsName(\"db1\")".into(), "IpAddress(10.0.0.1)".into()],
                }),
                "the server's certificate is for db1, 10.0.0.1, and not for db2",
                "by a name that its certificate has",
            ),
            (
                told(Error::AlertReceived(AlertDescription::ProtocolVersion)),
                "TLS with the server failed: it speaks no version that this program speaks",
                "TLS 1.2 or 1.3",
            ),
        ] {
            assert_eq!(error.message, said);
            assert!(error.next_step.expect("advice").contains(next), "{error:?}");
            assert!(!error.can_retry());
        }
        let lacking = mysql::Error::DriverError(DriverError::TlsNotSupported);
        assert_eq!(refusal(&lacking, &to("db2")).unwrap().message, "the server offers no TLS");
        let other = mysql::Error::IoError(io::ErrorKind::ConnectionRefused.into());
        assert_eq!(refusal(&other, &to("db2")), None);
    }

    #[test]
    fn a_file_without_certificate_is_no_authority() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        assert!(options(&path).unwrap_err().message.contains("cannot be read: No such file"));
        for text in ["", "a key"] {
            fs::write(&path, text).unwrap();
            let error = options(&path).unwrap_err();
            assert!(error.message.ends_with("ca.pem holds no certificate"), "{error}");
        }
    }
}
