//! TLS, where the service speaks it itself.

use std::path::Path;
use std::sync::Arc;
use std::{fmt, io};

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::config::Tls;
use crate::error::Error;

/// Takes connections to TLS.
#[derive(Clone)]
pub(crate) struct Acceptor(TlsAcceptor);

impl fmt::Debug for Acceptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acceptor").finish_non_exhaustive()
    }
}

impl Acceptor {
    /// Shakes hands.
    pub(crate) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        self.0.accept(stream).await
    }
}

/// Chooses the cryptography of everything in this process that speaks TLS. Who chose before us is
/// right.
pub(crate) fn choose_cryptography() {
    rustls::crypto::ring::default_provider().install_default().ok();
}

/// Reads certificate and key.
pub(crate) fn acceptor(tls: &Tls) -> Result<Acceptor, Error> {
    let certificates = CertificateDer::pem_file_iter(&tls.certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unusable(&tls.certificate, &error))?;
    let key = PrivateKeyDer::from_pem_file(&tls.key).map_err(|error| unusable(&tls.key, &error))?;
    choose_cryptography();
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .map_err(|error| unusable(&tls.certificate, &error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Acceptor(TlsAcceptor::from(Arc::new(config))))
}

fn unusable(path: &Path, error: &dyn std::error::Error) -> Error {
    Error::Tls { path: path.to_owned(), reason: error.to_string() }
}
