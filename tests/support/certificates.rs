//! Certificates for TLS, made by the test that uses them.

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd,
};
use std::fs;
use std::path::{Path, PathBuf};

/// An authority that signs certificates.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: Certificate,
}

impl Authority {
    /// A new one; nobody trusts it yet.
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate");
        Self { issuer: Issuer::new(params, key), certificate }
    }

    /// Writes its own certificate into a file, PEM.
    pub(crate) fn write(&self, path: &Path) -> PathBuf {
        fs::write(path, self.certificate.pem()).expect("the folder is writable");
        path.to_path_buf()
    }

    /// A certificate for these hosts with its key, as options of a server.
    pub(crate) fn vouch(&self, folder: &Path, hosts: &[&str], expired: bool) -> Vec<String> {
        let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
        let mut params = CertificateParams::new(hosts).expect("names of hosts");
        if expired {
            params.not_before = date_time_ymd(2020, 1, 1);
            params.not_after = date_time_ymd(2021, 2, 3);
        }
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let (cert_file, key_file) = (folder.join("cert.pem"), folder.join("key.pem"));
        fs::write(&cert_file, certificate.pem()).expect("the folder is writable");
        fs::write(&key_file, key.serialize_pem()).expect("the folder is writable");
        vec![
            format!("--ssl-cert={}", cert_file.display()),
            format!("--ssl-key={}", key_file.display()),
        ]
    }
}
