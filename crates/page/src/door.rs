//! What JavaScript calls.

#![allow(
    unsafe_code,
    reason = "a name that is not mangled could hide another of the same name; the module is \
              linked alone, and its names are these three"
)]

use std::sync::{Mutex, PoisonError};

use crate::question::answer;

/// The question, and then its answer. A module's memory has one thread.
static TEXT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Where to write a question of `len` bytes of UTF-8, before [`run`] is called.
#[unsafe(no_mangle)]
pub extern "C" fn input(len: usize) -> *mut u8 {
    let mut text = TEXT.lock().unwrap_or_else(PoisonError::into_inner);
    text.clear();
    text.resize(len, 0);
    text.as_mut_ptr()
}

/// Answers the question that was written, and gives the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn run() -> usize {
    let mut text = TEXT.lock().unwrap_or_else(PoisonError::into_inner);
    let question = std::mem::take(&mut *text);
    *text = answer(&String::from_utf8_lossy(&question)).into_bytes();
    text.len()
}

/// Where the answer begins.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    TEXT.lock().unwrap_or_else(PoisonError::into_inner).as_ptr()
}
