//! What integration tests share.

pub(crate) mod golden;
pub(crate) mod scenario;
