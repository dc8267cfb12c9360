//! What has arrived and was not yet read.

/// A buffer that is filled at its end and emptied at its front.
#[derive(Debug)]
pub(super) struct Input {
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
}

impl Input {
    /// Room for a hundred small writes at once, and for an option of any size
    /// that is let in.
    pub(super) const SIZE: usize = 256 << 10;

    pub(super) fn new() -> Self {
        Self {
            bytes: vec![0; Self::SIZE].into(),
            start: 0,
            end: 0,
        }
    }

    /// What is there.
    pub(super) fn data(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// The first `len` bytes were read.
    pub(super) fn consume(&mut self, len: usize) {
        self.start += len;
        debug_assert!(self.start <= self.end);
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Where the next bytes go; never empty while no message of more than
    /// [`Input::SIZE`] is awaited here.
    pub(super) fn space(&mut self) -> &mut [u8] {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        &mut self.bytes[self.end..]
    }

    /// `len` bytes came into [`Input::space`].
    pub(super) fn filled(&mut self, len: usize) {
        self.end += len;
    }
}
