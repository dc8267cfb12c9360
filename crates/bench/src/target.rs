//! The files and block devices that stand for the scenario's devices.

mod fill;
mod map;
mod space;
mod usable;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use blockyard_machine::Error;
use blockyard_model::units::{Bytes, KIB};
use blockyard_model::workload::spec::JobSpec;
use blockyard_record::Observer;
use blockyard_scenario::units::Size;
use blockyard_text::said;
use rustix::fs::OFlags;

use crate::Options;
use crate::layout;
use crate::provenance;
use crate::safety::{Claim, same};

use self::usable::Usable;

/// What a device is mapped to.
#[derive(Debug)]
pub(crate) struct Target {
    /// Name of the scenario's device.
    pub(crate) device: String,
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
    /// Bytes of it that are used.
    pub(crate) size: Bytes,
    /// Whether IO goes past the page cache.
    pub(crate) direct: bool,
    /// Whether jobs write to it.
    written: bool,
    /// Whether it is a file that was not there before.
    created: bool,
    /// What can be used of a file as it is.
    usable: Usable,
    /// The open target; none for `null:`.
    pub(crate) file: Option<File>,
    /// Keeps other programs from using a target that is written to.
    _claim: Option<Claim>,
}

/// What kind of target it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Also one that is still to be made.
    File,
    BlockDevice,
    Null,
}

/// A target for each device that the jobs use.
#[derive(Debug)]
pub(crate) struct Targets {
    /// By number of the device.
    targets: Vec<Option<Target>>,
}

impl Targets {
    /// Opens the targets of `jobs`. Nothing is written yet.
    pub(crate) fn open(
        devices: &[String],
        jobs: &[JobSpec],
        options: &Options,
    ) -> Result<Self, Error> {
        map::check(devices, options)?;
        let mut targets = Self {
            targets: Vec::new(),
        };
        let opened = targets.open_all(devices, jobs, options);
        let checked = opened
            .and_then(|()| targets.check_blocks(jobs))
            .and_then(|()| space::check(targets.used()));
        if checked.is_err() {
            targets.remove_new();
        }
        checked.map(|()| targets)
    }

    fn open_all(
        &mut self,
        devices: &[String],
        jobs: &[JobSpec],
        options: &Options,
    ) -> Result<(), Error> {
        for (number, device) in devices.iter().enumerate() {
            let target = layout::span(jobs, number).map(|size| {
                let written = layout::written(jobs, number);
                Target::open(device, size, written, options)
            });
            self.targets.push(target.transpose()?);
        }
        Ok(())
    }

    /// Removes the files that were made for a run that will not be.
    pub(crate) fn remove_new(&self) {
        for target in self.used().filter(|target| target.created) {
            let _ = fs::remove_file(&target.path);
        }
    }

    /// Makes the targets ready: files that are new, short or to be verified are
    /// written through.
    pub(crate) fn prepare(
        &self,
        jobs: &[JobSpec],
        options: &Options,
        observer: &mut dyn Observer,
    ) -> Result<(), Error> {
        let stamped = options.verify && jobs.iter().any(JobSpec::writes);
        for target in self.used() {
            if let Some(file) = &target.file {
                fill::prepare(target, file, stamped, options.precondition, observer)?;
            }
        }
        Ok(())
    }

    /// Marks the files that jobs write to, which they are about to.
    pub(crate) fn begin(&self) {
        self.written_files().for_each(provenance::write);
    }

    /// Marks the files that jobs wrote to, which nothing does any more.
    pub(crate) fn end(&self) {
        self.written_files().for_each(provenance::written);
    }

    fn written_files(&self) -> impl Iterator<Item = &File> {
        let written = self.used().filter(|it| it.written && it.kind == Kind::File);
        written.filter_map(|target| target.file.as_ref())
    }

    /// The targets that are used.
    pub(crate) fn used(&self) -> impl Iterator<Item = &Target> {
        self.targets.iter().flatten()
    }

    /// The name and path of device number `device`, for messages.
    pub(crate) fn describe(&self, device: usize) -> String {
        self.targets[device]
            .as_ref()
            .map_or_else(String::new, |target| {
                format!("`{}` ({})", target.device, target.path.display())
            })
    }

    /// Another handle on the target of device number `device`; none for `null:`.
    pub(crate) fn file(&self, device: usize) -> io::Result<Option<File>> {
        let target = self.targets[device].as_ref();
        let file = target.and_then(|target| target.file.as_ref());
        file.map(File::try_clone).transpose()
    }

    /// Handles on all targets, and which of them each device has.
    pub(crate) fn files(&self) -> io::Result<(Vec<File>, Vec<Option<u32>>)> {
        let (mut files, mut file_of) = (Vec::new(), Vec::new());
        for device in 0..self.targets.len() {
            let file = self.file(device)?;
            file_of.push(file.as_ref().map(|_| files.len() as u32));
            files.extend(file);
        }
        Ok((files, file_of))
    }

    fn check_blocks(&self, jobs: &[JobSpec]) -> Result<(), Error> {
        for job in jobs {
            for file in job.files() {
                if let Some(target) = &self.targets[file.region.device] {
                    target.check_block(job.name(), file.unit)?;
                }
            }
        }
        Ok(())
    }
}

impl Target {
    fn open(
        device: &str,
        size: Bytes,
        written: Range<Bytes>,
        options: &Options,
    ) -> Result<Self, Error> {
        let Some((_, path)) = options.map.iter().find(|(name, _)| name == device) else {
            return Err(Error::Input(format!(
                "--map: the device `{device}` has no target; expected --map {device}=PATH"
            )));
        };
        let (path, kind) = map::find(path, device)?;
        let written_to = !written.is_empty() || options.precondition > 0;
        let mut target = Self {
            usable: Usable::of(&path, kind, written_to)?,
            device: device.into(),
            path,
            kind,
            size,
            direct: false,
            written: !written.is_empty(),
            created: false,
            file: None,
            _claim: None,
        };
        if kind == Kind::Null {
            return Ok(target);
        }
        let writes = written_to || target.must_be_filled();
        if writes {
            if !written_to {
                target.check_may_be_filled(options)?;
            }
            let filled = options.precondition > 0 || options.verify;
            let written = if filled { 0..size } else { written };
            let claim = Claim::take(&target.path, written, &options.overwrite);
            target._claim = Some(claim.map_err(|refusal| Error::Input(refusal.to_string()))?);
        }
        target.created = !target.path.exists();
        (target.file, target.direct) = target.open_file(writes)?;
        target.check_room()?;
        Ok(target)
    }

    /// Whether it is a file that does not hold as much as the jobs use.
    fn must_be_filled(&self) -> bool {
        self.kind == Kind::File && self.usable.bytes < self.size
    }

    /// Jobs that only read have a file filled that is new or empty; one that
    /// holds something only if the user names it.
    fn check_may_be_filled(&self, options: &Options) -> Result<(), Error> {
        let empty = self.path.metadata().map_or(0, |found| found.len()) == 0;
        let named = options.overwrite.iter().any(|path| same(path, &self.path));
        if empty || named {
            return Ok(());
        }
        let path = self.path.display();
        let anew = format!("to have it written anew: --overwrite '{path}'");
        let Usable { bytes, foreign, .. } = self.usable;
        Err(Error::Input(match bytes {
            bytes if foreign => self.too_small(bytes),
            0 => format!("{path}: an earlier run did not finish filling it; {anew}"),
            bytes => format!("{}; {anew}", self.too_small(bytes)),
        }))
    }

    fn too_small(&self, has: Bytes) -> String {
        let (has, takes) = (whole(has), Size::new(whole(self.size)));
        let scaled = match has {
            0 => String::new(),
            has => format!("; --size {} scales them", Size::new(has)),
        };
        format!(
            "{}: it has {}, and the files on `{}` take {takes}{scaled}",
            self.path.display(),
            Size::new(has),
            self.device,
        )
    }

    /// Opens it past the page cache, or, where the file system cannot do that,
    /// through it.
    fn open_file(&self, writes: bool) -> Result<(Option<File>, bool), Error> {
        let open = |flags: OFlags| {
            let mut open = OpenOptions::new();
            open.read(true)
                .write(writes)
                .create(writes && self.kind != Kind::BlockDevice);
            open.custom_flags(flags.bits() as i32).open(&self.path)
        };
        let opened = open(OFlags::DIRECT).map(|file| (file, true));
        let opened = opened.or_else(|error| match error.raw_os_error() {
            Some(code) if code == rustix::io::Errno::INVAL.raw_os_error() => {
                open(OFlags::empty()).map(|file| (file, false))
            }
            _ => Err(error),
        });
        let (file, direct) = opened.map_err(|error| self.unopened(&error))?;
        Ok((Some(file), direct))
    }

    /// Direct IO comes in whole blocks of the device: `unit` is what the IOs of
    /// a job are multiples of.
    fn check_block(&self, job: &str, unit: Bytes) -> Result<(), Error> {
        let block = self.logical_block();
        if self.direct && !unit.is_multiple_of(block) {
            return Err(Error::Input(format!(
                "workload.{job}: IOs of {} cannot be done on {}, whose blocks have {block} bytes",
                Size::new(unit),
                self.path.display()
            )));
        }
        Ok(())
    }

    /// A device does not grow.
    fn check_room(&self) -> Result<(), Error> {
        let (Some(file), Kind::BlockDevice) = (&self.file, self.kind) else {
            return Ok(());
        };
        let has = length(file).map_err(|error| self.unopened(&error))?;
        match has >= self.size {
            true => Ok(()),
            false => Err(Error::Input(self.too_small(has))),
        }
    }

    fn unopened(&self, error: &io::Error) -> Error {
        Error::Input(format!("{}: {}", self.path.display(), said(error)))
    }

    fn logical_block(&self) -> Bytes {
        let block = self.file.as_ref().map(rustix::fs::ioctl_blksszget);
        match block {
            Some(Ok(bytes)) if self.kind == Kind::BlockDevice => bytes.into(),
            _ => 512,
        }
    }
}

/// To the KiB below it.
fn whole(bytes: Bytes) -> Bytes {
    bytes / KIB * KIB
}

/// The length of a file or block device.
pub(crate) fn length(file: &File) -> io::Result<Bytes> {
    // A block device's metadata has no length, but its end can be sought.
    Ok(rustix::fs::seek(file, rustix::fs::SeekFrom::End(0))?)
}
