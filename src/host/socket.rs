//! Sockets: time limits of connections that a library opened, and the length of socket paths.

use super::raw;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use std::io;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Lets no read or write on the connection of `owner` wait longer than `limit`; none for no limit.
pub fn set_timeouts(owner: &impl AsRawFd, limit: Option<Duration>) -> io::Result<()> {
    // A timeout of 0 would mean none at all.
    let limit = limit.map(|limit| limit.max(Duration::from_millis(1)));
    raw::with_descriptor(owner, |socket| {
        set_socket_timeout(socket, Timeout::Recv, limit)?;
        set_socket_timeout(socket, Timeout::Send, limit)?;
        Ok(())
    })
}
