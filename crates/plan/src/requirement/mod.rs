//! What a user asks for: the requirement as written, checked, and in plain numbers.

pub(crate) mod check;
pub(crate) mod check_instance;
pub(crate) mod choice;
pub(crate) mod copies;
pub(crate) mod durability;
pub(crate) mod growth;
pub(crate) mod needs;
pub(crate) mod preferences;
pub(crate) mod range;
pub(crate) mod read;
pub(crate) mod schema;
pub(crate) mod space;
