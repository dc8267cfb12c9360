use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use blockyard_machine::Error;

use super::Attached;
use crate::disk::Disk;

#[test]
fn disks_are_block_devices_until_they_are_detached() {
    let disks = ["one", "two"].map(|name| Arc::new(Disk::in_memory(name, 1 << 20)));
    let attached = match Attached::start(disks.to_vec()) {
        Ok(attached) => attached,
        Err(Error::Lacks(message)) => {
            let _ = writeln!(std::io::stderr(), "skipped: {message}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    for (disk, byte) in disks.iter().zip([1, 2]) {
        let path = attached.path(disk);
        let device = File::options().read(true).write(true).open(path).unwrap();
        device.write_all_at(&[byte; 4096], 8192).unwrap();
        device.sync_all().unwrap();
        let mut bytes = [0; 4096];
        disk.store().read(8192, &mut bytes).unwrap();
        assert_eq!(bytes, [byte; 4096]);
    }
    let path = attached.path(&disks[0]);
    attached.stop(&mut |said| panic!("{said}"));
    let size = std::fs::read_to_string(
        std::path::Path::new("/sys/class/block")
            .join(path.file_name().unwrap())
            .join("size"),
    );
    assert!(size.is_ok_and(|size| size.trim() == "0"));
}
