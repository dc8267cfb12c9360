//! A file in memory, for where there are no others.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that were written. Copies share them.
#[derive(Clone, Debug, Default)]
pub struct InMemory(Arc<Mutex<Vec<u8>>>);

impl InMemory {
    /// Takes out what was written so far.
    #[must_use]
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for InMemory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
