//! Traces as text, a line an IO or an event.

mod alibaba;
mod biosnoop;
mod blkparse;
mod blockyard;
pub(crate) mod cells;
mod ftrace;
mod iolog;
mod lines;
mod msr;
mod spc;
mod systor;
mod tencent;

pub(crate) use alibaba::Alibaba;
pub(crate) use biosnoop::Biosnoop;
pub(crate) use blkparse::{Blkparse, is_blkparse};
#[cfg(not(target_family = "wasm"))]
pub(crate) use blockyard::Own;
pub(crate) use blockyard::{Blockyard, HEADER};
pub(crate) use ftrace::{Ftrace, is_event};
pub(crate) use iolog::Iolog;
pub(crate) use lines::{Lines, Parse};
pub(crate) use msr::Msr;
pub(crate) use spc::Spc;
pub(crate) use systor::Systor;
pub(crate) use tencent::Tencent;
