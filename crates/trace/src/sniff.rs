//! Which format a trace has, by its first bytes.

use crate::Format;
use crate::binary::{is_blktrace, is_parquet, is_vscsi};
use crate::text::cells::{cells, decimal, whole, words};
use crate::text::{HEADER, is_blkparse, is_event};

use blockyard_model::units::SECOND;

/// The format of a file that begins with `head`; none if it shows none.
pub(crate) fn sniff(head: &[u8]) -> Option<Format> {
    if is_blktrace(head) {
        return Some(Format::Blktrace);
    }
    if is_parquet(head) {
        return Some(Format::Parquet);
    }
    let text = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let text = text.filter(|line| !line.is_empty()).take(200);
    if head.contains(&0) {
        return is_vscsi(head).then_some(Format::Vscsi);
    }
    // A file begins with what has no shape of its own: comments and other events of the kernel.
    text.clone()
        .next()
        .and_then(by_first)
        .or_else(|| text.clone().any(is_event).then_some(Format::Ftrace))
        .or_else(|| text.clone().any(is_blkparse).then_some(Format::Blkparse))
}

fn by_first(line: &[u8]) -> Option<Format> {
    if line == HEADER.as_bytes() {
        return Some(Format::Blockyard);
    }
    if line.starts_with(b"fio version") && line.ends_with(b"iolog") {
        return Some(Format::FioIolog);
    }
    if line.starts_with(b"TIME") && words(line).any(|word| word.starts_with(b"LAT")) {
        return Some(Format::Biosnoop);
    }
    if is_blkparse(line) {
        return Some(Format::Blkparse);
    }
    of_commas(line)
}

/// The formats of lines of values between commas.
fn of_commas(line: &[u8]) -> Option<Format> {
    let (cells, count) = cells::<7>(line, b',');
    let headings: [(&[u8], Format); 4] = [
        (b"Timestamp,Hostname,DiskNumber", Format::Msr),
        (b"Timestamp,Response,IOType", Format::Systor),
        (b"Timestamp,Offset,Size,IOType", Format::Tencent),
        (b"device_id,opcode", Format::Alibaba),
    ];
    let heading = headings.iter().find(|(own, _)| line.starts_with(own));
    if let Some((_, format)) = heading {
        return Some(*format);
    }
    let number = |place: usize| whole(cells[place]).is_some();
    let letter = |place: usize| matches!(cells[place], b"R" | b"W");
    if count == 7 && number(0) && matches!(cells[3], b"Read" | b"Write") {
        return Some(Format::Msr);
    }
    if count == 6 && decimal(cells[0], SECOND).is_some() && (letter(2) || cells[2].is_empty()) {
        return Some(Format::Systor);
    }
    if count == 5 && letter(1) && number(2) && number(3) && number(4) {
        return Some(Format::Alibaba);
    }
    if count >= 5 && number(1) && matches!(cells[3], b"R" | b"W" | b"r" | b"w") {
        return Some(Format::Spc);
    }
    let all = (0..5).all(number);
    (count == 5 && all && matches!(cells[3], b"0" | b"1")).then_some(Format::Tencent)
}
