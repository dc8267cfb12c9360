//! What scenarios may say: one program, as each more takes seconds to build.

mod clusters;
mod event_mistakes;
mod latency_profiles;
mod mirrors;
mod mistakes;
mod never_panics;
