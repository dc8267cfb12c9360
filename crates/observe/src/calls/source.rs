//! The tracepoints of calls, and how to read what they record.

use std::collections::BTreeMap;
use std::path::Path;

use blockyard_machine::{Tracepoint, read_at_once};

use super::event::Layout;
use super::kinds::CALLS;
use crate::events::{page, refusal};

/// The tracepoints to use, each without a filter, and how to read them by their numbers.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) tracepoints: Vec<(String, String)>,
    pub(super) layouts: BTreeMap<u32, Layout>,
    pub(super) pages: page::Layout,
}

impl Source {
    /// Those of both ends of each call that this kernel has.
    ///
    /// # Errors
    /// What is missing, in one line.
    pub(super) fn of(tracefs: &Path) -> Result<Self, String> {
        let header = read_at_once(&tracefs.join("events/header_page"));
        let header = header.map_err(|error| refusal(&error))?;
        let mut found = Self {
            tracepoints: Vec::new(),
            layouts: BTreeMap::new(),
            pages: page::Layout::parse(&header).ok_or("unknown layout of this kernel's traces")?,
        };
        for (place, (call, _)) in CALLS.iter().enumerate() {
            let [begin, end] = ["enter", "exit"].map(|end| format!("syscalls/sys_{end}_{call}"));
            let both = (described(tracefs, &begin)?, described(tracefs, &end)?);
            if let (Some(at_begin), Some(at_end)) = both {
                found.add(begin, &at_begin, Layout::begin(&at_begin, place))?;
                found.add(end, &at_end, Layout::end(&at_end, place))?;
            }
        }
        if found.layouts.is_empty() {
            return Err(
                "this kernel has no tracepoints of system calls (CONFIG_FTRACE_SYSCALLS)".into(),
            );
        }
        Ok(found)
    }

    fn add(
        &mut self,
        name: String,
        tracepoint: &Tracepoint,
        layout: Option<Layout>,
    ) -> Result<(), String> {
        let lacks = || {
            format!("tracepoint {name} of this kernel lacks a field; expected common_pid and ret")
        };
        self.layouts
            .insert(tracepoint.id, layout.ok_or_else(lacks)?);
        self.tracepoints.push((name, String::new()));
        Ok(())
    }
}

fn described(tracefs: &Path, name: &str) -> Result<Option<Tracepoint>, String> {
    Tracepoint::named(tracefs, name).map_err(|error| refusal(&error))
}
