//! Makes a scenario complete: reads latency profiles and demand that are files, and takes from
//! other profiles what they are `like`. After that the scenario holds every value itself.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use blockyard_catalog::{Catalog, LatencyProfile};
use blockyard_text::said;
use blockyard_text::tree::{Node, from_node, parse};

use crate::demand;
use crate::schema::{Device, Job, NameOr, Scenario, Volume};
use crate::{Error, Origin};

/// Most bytes of a profile's file.
const MAX_BYTES: u64 = 1 << 20;

/// Completes the profiles and the demand of `scenario` in its tree, `source`. Returns whether that
/// has changed.
///
/// # Errors
/// A file that cannot be read or is no profile, an unknown name after `like`, profiles that are
/// like each other in a circle, a missing part. What is wrong within a file is named by the
/// file and the path in it.
pub(crate) fn complete(source: &mut Node, scenario: &Scenario) -> Result<bool, Error> {
    let mut given = Vec::new();
    for (name, device) in &scenario.storage {
        find(format!("storage.{name}"), device, &mut given);
    }
    let mut changed = read_demand(source, scenario)?;
    changed |= place_traces(source, scenario)?;
    for (path, latency) in given {
        let mut files = Files::default();
        let (profile, within) = match latency {
            NameOr::Name(name) if is_file(name) => {
                let place = source.locate(&path);
                (files.profile(name, &place, &path)?, "")
            }
            NameOr::Name(_) => continue,
            NameOr::Given(profile) => match source.at(&path) {
                Some(node) => (files.completed(node.clone(), profile, &path)?, &*path),
                None => continue,
            },
        };
        from_node::<LatencyProfile>(&profile)?
            .spec()
            .map_err(|message| Error::new(profile.origin.clone(), within, message))?;
        source.replace(&path, profile);
        changed = true;
    }
    Ok(changed)
}

/// Puts the text of demand's files in place of their names.
fn read_demand(source: &mut Node, scenario: &Scenario) -> Result<bool, Error> {
    let mut changed = false;
    for (name, job) in &scenario.workload {
        if let Job::Demand(job) = job {
            let field = format!("workload.{name}.intervals");
            changed |= demand::put_text(source, &field, &job.intervals)?;
        }
    }
    Ok(changed)
}

/// Puts the whole path of each trace in place of its name, so that a run can be read from anywhere.
fn place_traces(source: &mut Node, scenario: &Scenario) -> Result<bool, Error> {
    let mut changed = false;
    for (name, job) in &scenario.workload {
        let Job::Replay(job) = job else { continue };
        let field = format!("workload.{name}.trace");
        let place = source.locate(&field);
        let path = beside(&place, &job.trace);
        let whole = fs::canonicalize(&path).map_err(|error| {
            let said = format!("cannot read `{}`: {}", path.display(), said(&error));
            Error::new(place, &field, said)
        })?;
        if Path::new(&job.trace) != whole
            && let Some(node) = source.at(&field)
        {
            let mut node = node.clone();
            node.set_text(whole.display().to_string());
            source.replace(&field, node);
            changed = true;
        }
    }
    Ok(changed)
}

/// Collects the latencies that volumes of `device` have of their own, with their paths.
fn find<'a>(
    path: String,
    device: &'a Device,
    found: &mut Vec<(String, &'a NameOr<Box<LatencyProfile>>)>,
) {
    match device {
        Device::Volume(Volume { latency, .. }) => {
            let latency = latency.as_ref();
            found.extend(latency.map(|latency| (format!("{path}.latency"), latency)));
        }
        Device::Stripe(stripe) => find(format!("{path}.of"), &stripe.of, found),
        Device::Mirror(mirror) => {
            for (name, leg) in &mirror.mirror.legs {
                find(format!("{path}.mirror.legs.{name}"), leg, found);
            }
        }
        Device::Linear(linear) => {
            for (index, part) in linear.linear.iter().enumerate() {
                find(format!("{path}.linear.{index}"), part, found);
            }
        }
    }
}

/// Whether the name of a profile is that of a file; no profile of the catalog is called so.
fn is_file(name: &str) -> bool {
    let extension = Path::new(name).extension();
    name.contains('/') || extension.is_some_and(|it| it == "yaml" || it == "yml" || it == "json")
}

/// The files that led to the one being read.
#[derive(Default)]
struct Files(Vec<PathBuf>);

impl Files {
    /// The complete profile of the file `name`, which stands at `place` under `field`.
    fn profile(&mut self, name: &str, place: &Origin, field: &str) -> Result<Node, Error> {
        let path = beside(place, name);
        let shown = path.display().to_string();
        let error = |message| Error::new(place.clone(), field, message);
        let unreadable = |e: io::Error| error(format!("cannot read `{shown}`: {}", said(&e)));
        let file = fs::canonicalize(&path).map_err(unreadable)?;
        if self.0.contains(&file) {
            return Err(error(format!(
                "`{shown}` is, by way of `like`, like itself"
            )));
        }
        let text = read(&file, MAX_BYTES).map_err(unreadable)?;
        self.0.push(file);
        let node = parse(&text, &shown)?;
        let profile = from_node(&node)?;
        self.completed(node, &profile, "")
    }

    /// The tree of `profile`, with what it leaves out from where its `like` says. `field` is
    /// its own path in the document.
    fn completed(
        &mut self,
        mut node: Node,
        profile: &LatencyProfile,
        field: &str,
    ) -> Result<Node, Error> {
        let Some(like) = &profile.like else {
            return Ok(node);
        };
        let place = node.locate("like");
        let field = format!("{field}.like");
        let field = field.trim_start_matches('.');
        let base = if is_file(like) {
            self.profile(like, &place, field)?
        } else {
            let known = Catalog::get()?.profile(like);
            let known = known.map_err(|e| Error::new(place, field, e.to_string()))?;
            known.tree.clone()
        };
        node.remove("like");
        node.complete_from(base);
        Ok(node)
    }
}

/// Where a file lies that is named at `place`: beside the file that names it; for other places
/// in the current folder.
pub(crate) fn beside(place: &Origin, name: &str) -> PathBuf {
    let folder = match place {
        Origin::File { file, .. } => Path::new(&**file).parent(),
        Origin::Set | Origin::Default => None,
    };
    // Without `.` in the middle.
    let path = folder.unwrap_or(Path::new("")).join(name);
    path.components().collect()
}

/// The text of a regular file: a pipe or a device might never end.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut text = String::new();
    File::open(path)?.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        let mib = most >> 20;
        return Err(io::Error::other(format!("it has more than {mib} MiB")));
    }
    Ok(text)
}
