//! Where a fault of the program itself ends: data in memory live only as long as the service, so
//! what breaks in one place must not end it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Does something. An error says what it panicked with, which has been printed.
pub(crate) fn contained<T>(what: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(what)).map_err(|panic| in_words(&*panic))
}

fn in_words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "unknown panic".into())
}
