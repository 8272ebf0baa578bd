//! The disk test at the beginning and the end of a run.

use super::Sequence;
use crate::journal::record::{DiskMoment, Record};
use crate::run::observer::Event;
use crate::run::{RunError, disk_test};

impl Sequence<'_> {
    /// Tests the disk, where the suite asks for it. A test that an interrupt cut short is no test.
    pub(super) fn test_disk(&mut self, moment: DiskMoment) -> Result<(), RunError> {
        let Some(test) = &self.env.plan.disk else { return Ok(()) };
        if self.interrupted() {
            return Ok(());
        }
        self.env.observer.event(&Event::DiskTest { moment: moment.as_str() });
        let record = disk_test::test(self.env, test, moment);
        if self.interrupted() {
            return Ok(());
        }
        if let Some(finding) = disk_test::finding(self.disk.as_ref(), &record) {
            self.find(finding)?;
        }
        self.write(Record::DiskTest(record.clone()))?;
        self.disk = Some(record);
        Ok(self.journal.sync()?)
    }
}
