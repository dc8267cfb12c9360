//! Rows in the form of other programs.

use std::io::{self, Write};

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;

use crate::Row;

/// Writes fio's iolog, version 3, which fio 3.31 and later replay: a file for each device, so that
/// fio can be told where each lies.
#[derive(Debug)]
pub struct Iolog<W> {
    out: W,
    /// The time that counts as 0: that of the first row.
    origin: Option<Nanos>,
    /// What was added so far.
    files: Vec<String>,
}

impl<W: Write> Iolog<W> {
    /// Begins a log.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut out: W) -> io::Result<Self> {
        writeln!(out, "fio version 3 iolog")?;
        Ok(Self {
            out,
            origin: None,
            files: Vec::new(),
        })
    }

    /// Adds a row of a device; whether it could be: an IO whose arrival is not known cannot.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, row: &Row, device: &str) -> io::Result<bool> {
        let Some(arrival) = row.arrival.or(row.issue) else {
            return Ok(false);
        };
        let micros = arrival.saturating_sub(*self.origin.get_or_insert(arrival)) / 1000;
        let out = &mut self.out;
        if !self.files.iter().any(|file| file == device) {
            writeln!(out, "{micros} {device} add\n{micros} {device} open")?;
            self.files.push(device.to_owned());
        }
        let Row { offset, bytes, .. } = row;
        let action = match row.op {
            Op::Read => "read",
            Op::Trim => "trim",
            _ if *bytes > 0 => "write",
            _ => {
                writeln!(out, "{micros} {device} datasync 0 0")?;
                return Ok(true);
            }
        };
        writeln!(out, "{micros} {device} {action} {offset} {bytes}")?;
        Ok(true)
    }

    /// Ends the log.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        for file in &self.files {
            writeln!(self.out, "0 {file} close")?;
        }
        self.out.flush()
    }
}
