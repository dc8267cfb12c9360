//! Alone in its process, whose memory it counts.
#![cfg(target_env = "gnu")]

use blockyard_sys::{LARGE, unmap_large_blocks};

/// Bytes in mappings of their own.
fn mapped() -> usize {
    // SAFETY: the call has no preconditions.
    unsafe { libc::mallinfo2() }.hblkhd
}

#[test]
fn large_blocks_are_mapped_each_time_anew() {
    assert!(unmap_large_blocks());
    let before = mapped();
    for _ in 0..2 {
        let block = vec![1_u8; LARGE];
        assert!(mapped() >= before + LARGE);
        drop(block);
        assert_eq!(mapped(), before);
    }
}
