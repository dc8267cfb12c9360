//! Memory that direct IO can use.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Alignment of every buffer: a page, which is what the strictest devices
/// require.
pub const ALIGNMENT: usize = 4096;

/// A buffer, initially all zeros, aligned to [`ALIGNMENT`].
///
/// Memory that was never touched takes no space, so many large buffers, of
/// which few are used, cost little.
#[derive(Debug)]
pub struct Buffer {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: a Buffer owns its memory like a Vec<u8> does.
unsafe impl Send for Buffer {}
// SAFETY: shared references only read.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// A buffer of `len` bytes, which may be 0.
    ///
    /// # Panics
    /// If `len` is above `isize::MAX`.
    #[must_use]
    pub fn new(len: usize) -> Self {
        if len == 0 {
            return Self {
                start: NonNull::dangling(),
                len,
            };
        }
        let layout = layout(len);
        // SAFETY: the layout's size is not zero.
        let start = unsafe { alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start) else {
            handle_alloc_error(layout)
        };
        Self { start, len }
    }
}

#[expect(
    clippy::expect_used,
    reason = "lengths are those of IOs and chunks, which scenarios and constants bound"
)]
fn layout(len: usize) -> Layout {
    Layout::from_size_align(len, ALIGNMENT).expect("a buffer is smaller than the address space")
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.len > 0 {
            // SAFETY: `start` was allocated with this very layout.
            unsafe { dealloc(self.start.as_ptr(), layout(self.len)) }
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: `len` initialised bytes at `start` belong to self.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl DerefMut for Buffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and self is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_aligned_and_zero() {
        for len in [0, 1, 512, 8192, 1 << 20] {
            let mut buffer = Buffer::new(len);
            assert_eq!(buffer.len(), len);
            assert!(buffer.iter().all(|&byte| byte == 0));
            assert!(len == 0 || (buffer.as_ptr() as usize).is_multiple_of(ALIGNMENT));
            buffer.fill(7);
        }
    }
}
