//! What the kernel counts of a block device's IO: `/sys/block/DEVICE/stat`.

use std::io;

use super::BlockDevice;

/// A device's counts since it came. A field that an older kernel lacks is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockStat {
    /// Reads.
    pub read: OpStat,
    /// Writes; an empty one that only asks for a flush counts too.
    pub write: OpStat,
    /// Trims.
    pub trim: OpStat,
    /// Flushes that the device was sent.
    pub flush: OpStat,
    /// IOs in flight now.
    pub in_flight: u64,
    /// Milliseconds with IO in flight.
    pub busy_ms: u32,
}

/// Counts of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpStat {
    /// IOs that ended.
    pub ios: u64,
    /// IOs that were merged into one of these.
    pub merged: u64,
    /// Sectors of 512 bytes.
    pub sectors: u64,
    /// Milliseconds from their arrival to their end, summed. The kernel gives 32 bits, which wrap.
    pub ms: u32,
}

impl BlockStat {
    /// Of the text of the file; none if it is no such file. Since Linux 2.6.25 it has 11 numbers,
    /// since 4.18 trims, since 5.5 flushes; a later kernel may add more.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let fields = text.split_ascii_whitespace().map(str::parse);
        let fields: Vec<u64> = fields.collect::<Result<_, _>>().ok()?;
        if fields.len() < 11 {
            return None;
        }
        let field = |place: usize| fields.get(place).copied().unwrap_or(0);
        let op = |first: usize| OpStat {
            ios: field(first),
            merged: field(first + 1),
            sectors: field(first + 2),
            // It is a number of 32 bits, whatever its width here.
            ms: field(first + 3) as u32,
        };
        Some(Self {
            read: op(0),
            write: op(4),
            trim: op(11),
            flush: OpStat {
                ios: field(15),
                ms: field(16) as u32,
                ..OpStat::default()
            },
            in_flight: field(8),
            busy_ms: field(9) as u32,
        })
    }
}

impl BlockDevice {
    /// What the kernel has counted of its IO.
    ///
    /// # Errors
    /// If the device is gone, or the file is not what it should be.
    pub fn stat(&self) -> io::Result<BlockStat> {
        let path = self.folder().join("stat");
        let text = std::fs::read_to_string(&path)?;
        BlockStat::parse(&text).ok_or_else(|| {
            let line = text.trim().chars().take(80).collect::<String>();
            let said = format!(
                "{}: `{line}`; expected 11 whole numbers or more",
                path.display()
            );
            io::Error::new(io::ErrorKind::InvalidData, said)
        })
    }

    /// How many IOs its driver has at the moment: what waits in this machine's queues is not
    /// among them. None where the kernel does not say.
    #[must_use]
    pub fn in_driver(&self) -> Option<u64> {
        let text = std::fs::read_to_string(self.folder().join("inflight")).ok()?;
        let counts: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
        counts.ok().map(|counts| counts.iter().sum())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_are_where_the_kernel_has_them() {
        let text = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n";
        let op = |ios, merged, sectors, ms| OpStat {
            ios,
            merged,
            sectors,
            ms,
        };
        let whole = BlockStat {
            read: op(1, 2, 3, 4),
            write: op(5, 6, 7, 8),
            in_flight: 9,
            busy_ms: 10,
            trim: op(12, 13, 14, 15),
            flush: op(16, 0, 0, 17),
        };
        assert_eq!(BlockStat::parse(text), Some(whole));
        let old = BlockStat {
            trim: OpStat::default(),
            flush: OpStat::default(),
            ..whole
        };
        assert_eq!(BlockStat::parse("1 2 3 4 5 6 7 8 9 10 11"), Some(old));
    }

    #[test]
    fn what_is_no_stat_is_refused() {
        for text in [
            "",
            "1 2 3",
            "1 2 3 4 5 6 7 8 9 10 x",
            "1 2 3 4 5 6 7 -8 9 10 11",
        ] {
            assert_eq!(BlockStat::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[0-9 \\-\n\t.a]{0,120}") {
            let numbers = text.split_ascii_whitespace().filter(|word| word.parse::<u64>().is_ok());
            let whole = numbers.count() == text.split_ascii_whitespace().count();
            let enough = text.split_ascii_whitespace().count() >= 11;
            prop_assert_eq!(BlockStat::parse(&text).is_some(), whole && enough);
        }
    }
}
