//! Where a device's bytes lie.

use crate::spec::{Layout, StorageSpec};
use crate::units::Bytes;

/// A run of bytes on one volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Index of the volume.
    pub volume: usize,
    /// First byte on the volume.
    pub offset: Bytes,
    /// Bytes, at least 1.
    pub len: Bytes,
}

impl Layout {
    /// Calls `found` with the volumes' parts of `len` bytes from `offset`, in
    /// the order in which the range first touches them.
    ///
    /// Any range of a stripe is one run on each part it touches, since a
    /// part's chunks lie next to each other. The runs are handed on whole, as
    /// the kernel's block layer merges the chunks of one request again.
    pub fn extents(&self, offset: Bytes, len: Bytes, found: &mut impl FnMut(Extent)) {
        match self {
            Layout::Volume(volume) => found(Extent {
                volume: *volume,
                offset,
                len,
            }),
            Layout::Stripe { chunk, parts } => {
                let width = parts.len() as u64;
                let (first, last) = (offset / chunk, (offset + len - 1) / chunk);
                for index in first..=last.min(first + width - 1) {
                    let start =
                        index / width * chunk + if index == first { offset % chunk } else { 0 };
                    let final_index = index + (last - index) / width * width;
                    let end = final_index / width * chunk
                        + if final_index == last {
                            (offset + len - 1) % chunk + 1
                        } else {
                            *chunk
                        };
                    parts[(index % width) as usize].extents(start, end - start, found);
                }
            }
            Layout::Linear { parts } => {
                let (mut start, mut offset, mut len) = (0, offset, len);
                for (part, size) in parts {
                    let end = start + size;
                    if offset < end && len > 0 {
                        let here = len.min(end - offset);
                        part.extents(offset - start, here, found);
                        (offset, len) = (offset + here, len - here);
                    }
                    start = end;
                }
            }
            Layout::Mirror(mirror) => {
                for leg in &mirror.legs {
                    leg.layout.extents(offset, len, found);
                }
            }
        }
    }

    /// The single extent of a range that lies on one volume, which is nearly
    /// every range of a database's block size.
    #[inline]
    pub(crate) fn single(&self, mut offset: Bytes, len: Bytes) -> Option<Extent> {
        let mut layout = self;
        loop {
            match layout {
                Layout::Volume(volume) => {
                    return Some(Extent {
                        volume: *volume,
                        offset,
                        len,
                    });
                }
                Layout::Stripe { chunk, parts } => {
                    // Chunks are powers of two.
                    let index = offset >> chunk.trailing_zeros();
                    let within = offset & (chunk - 1);
                    if within + len > *chunk {
                        return None;
                    }
                    let width = parts.len() as u64;
                    layout = &parts[(index % width) as usize];
                    offset = index / width * chunk + within;
                }
                Layout::Linear { .. } | Layout::Mirror(_) => return None,
            }
        }
    }

    /// Calls `found` with every volume of the layout, in address order.
    pub fn volumes(&self, found: &mut impl FnMut(usize)) {
        match self {
            Layout::Volume(volume) => found(*volume),
            Layout::Stripe { parts, .. } => parts.iter().for_each(|part| part.volumes(found)),
            Layout::Linear { parts } => parts.iter().for_each(|(part, _)| part.volumes(found)),
            Layout::Mirror(mirror) => mirror.legs.iter().for_each(|leg| leg.layout.volumes(found)),
        }
    }
}

/// The layouts of the legs of all mirrors of `spec`, in the order in which the engine has
/// them behind its devices.
pub(crate) fn leg_layouts(spec: &StorageSpec) -> impl Iterator<Item = &Layout> {
    let mirrors = spec
        .devices
        .iter()
        .filter_map(|device| match &device.layout {
            Layout::Mirror(mirror) => Some(mirror),
            _ => None,
        });
    mirrors.flat_map(|mirror| mirror.legs.iter().map(|leg| &leg.layout))
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    /// The obvious mapping: one byte at a time.
    fn byte(layout: &Layout, offset: Bytes) -> (usize, Bytes) {
        match layout {
            Layout::Volume(volume) => (*volume, offset),
            Layout::Stripe { chunk, parts } => {
                let row = chunk * parts.len() as u64;
                let part = (offset % row / chunk) as usize;
                byte(&parts[part], offset / row * chunk + offset % chunk)
            }
            Layout::Linear { parts } => {
                let mut offset = offset;
                for (part, size) in parts {
                    if offset < *size {
                        return byte(part, offset);
                    }
                    offset -= size;
                }
                panic!("beyond the device")
            }
            Layout::Mirror(_) => panic!("a mirror's bytes lie twice"),
        }
    }

    fn stripe(chunk: Bytes, first: usize, width: usize) -> Layout {
        Layout::Stripe {
            chunk,
            parts: (first..first + width).map(Layout::Volume).collect(),
        }
    }

    fn layouts() -> impl Strategy<Value = Layout> {
        (0_u32..4, 1_usize..6, 1_usize..4).prop_map(|(chunk, width, parts)| {
            let chunk = 4 << chunk;
            let linear = Layout::Linear {
                parts: vec![
                    (stripe(chunk, 0, width), 8 * chunk * width as u64),
                    (Layout::Volume(width), 64),
                    (Layout::Volume(width + 1), 4096),
                ],
            };
            match parts {
                1 => stripe(chunk, 0, width),
                2 => linear,
                _ => Layout::Stripe {
                    chunk: 4 * chunk,
                    parts: vec![stripe(chunk, 0, width), stripe(chunk, width, width)],
                },
            }
        })
    }

    proptest! {
        #[test]
        fn every_byte_lands_exactly_once(layout in layouts(), offset in 0_u64..600, len in 1_u64..600) {
            let mut expected: Vec<_> = (offset..offset + len).map(|at| byte(&layout, at)).collect();
            let mut extents = Vec::new();
            layout.extents(offset, len, &mut |extent| extents.push(extent));
            let mut got: Vec<_> = extents
                .iter()
                .flat_map(|e| (e.offset..e.offset + e.len).map(|at| (e.volume, at)))
                .collect();
            prop_assert_eq!(extents[0].volume, expected[0].0, "the first byte's volume comes first");
            expected.sort_unstable();
            got.sort_unstable();
            prop_assert_eq!(got, expected);
            if let Some(single) = layout.single(offset, len) {
                prop_assert_eq!(extents, vec![single]);
            }
        }
    }
}
