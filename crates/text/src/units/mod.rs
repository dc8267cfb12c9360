//! Quantities with their units: `30m`, `400GiB`, `125MiB/s`, `100000/s`, `50%` and dates.
//! All are stored as exact integers; none passes through a float. Each has an upper bound
//! far beyond any use, so that sums never overflow.

mod date;
mod exponent;
mod money;
mod quantity;
mod text;

pub use date::Date;
pub use exponent::Exponent;
pub use money::Money;

use quantity::{Quantity, quantity_type};

const DURATION: Quantity = Quantity {
    name: "duration",
    zero: "0s",
    units: &[
        ("h", 3_600_000_000_000),
        ("m", 60_000_000_000),
        ("s", 1_000_000_000),
        ("ms", 1_000_000),
        ("us", 1_000),
        ("ns", 1),
    ],
    example: "30m",
    range: 0..=100_000 * 3_600_000_000_000,
    mistaken: &[("min", "m"), ("sec", "s"), ("µs", "us")],
    sums: true,
};

quantity_type! {
    /// A span of time with its unit: ns, us, ms, s, m or h, as in `1.16ms` or `1h30m`.
    Duration, DURATION,
    /// In nanoseconds.
    nanos
}

const SIZE: Quantity = Quantity {
    name: "size",
    zero: "0B",
    units: &[
        ("TiB", 1 << 40),
        ("GiB", 1 << 30),
        ("MiB", 1 << 20),
        ("KiB", 1 << 10),
        ("B", 1),
    ],
    example: "400GiB",
    range: 1..=1 << 60,
    mistaken: &[
        ("TB", "TiB"),
        ("GB", "GiB"),
        ("MB", "MiB"),
        ("KB", "KiB"),
        ("kB", "KiB"),
        ("T", "TiB"),
        ("G", "GiB"),
        ("M", "MiB"),
        ("K", "KiB"),
        ("k", "KiB"),
    ],
    sums: false,
};

quantity_type! {
    /// A size above zero in binary units: B, KiB, MiB, GiB or TiB, as in `400GiB`.
    Size, SIZE,
    /// In bytes.
    bytes
}

const THROUGHPUT: Quantity = Quantity {
    name: "throughput",
    zero: "0B/s",
    units: &[
        ("GiB/s", 1 << 30),
        ("MiB/s", 1 << 20),
        ("KiB/s", 1 << 10),
        ("B/s", 1),
    ],
    example: "125MiB/s",
    range: 1..=1 << 50,
    mistaken: &[
        ("GB/s", "GiB/s"),
        ("MB/s", "MiB/s"),
        ("KB/s", "KiB/s"),
        ("GiB", "GiB/s"),
        ("MiB", "MiB/s"),
        ("KiB", "KiB/s"),
    ],
    sums: false,
};

quantity_type! {
    /// A throughput above zero in binary units: B/s, KiB/s, MiB/s or GiB/s, as
    /// in `125MiB/s`.
    Throughput, THROUGHPUT,
    /// In bytes a second.
    bytes_per_s
}

const BANDWIDTH: Quantity = Quantity {
    name: "bandwidth",
    zero: "0bit/s",
    units: &[
        ("Gbit/s", 1_000_000_000),
        ("Mbit/s", 1_000_000),
        ("kbit/s", 1_000),
        ("bit/s", 1),
    ],
    example: "10Gbit/s",
    range: 1..=1_000_000_000_000_000,
    mistaken: &[
        ("Gbps", "Gbit/s"),
        ("Mbps", "Mbit/s"),
        ("kbps", "kbit/s"),
        ("Gb/s", "Gbit/s"),
        ("Mb/s", "Mbit/s"),
        ("Kbit/s", "kbit/s"),
    ],
    sums: false,
};

quantity_type! {
    /// A network's bandwidth above zero, in decimal units: bit/s, kbit/s, Mbit/s or Gbit/s, as
    /// in `10Gbit/s`.
    Bandwidth, BANDWIDTH,
    /// In bits a second.
    bits_per_s
}

const RATE: Quantity = Quantity {
    name: "rate",
    zero: "0/s",
    units: &[("/s", 1)],
    example: "100000/s",
    range: 0..=1_000_000_000,
    mistaken: &[("iops", "/s"), ("IOPS", "/s"), ("ps", "/s")],
    sums: false,
};

quantity_type! {
    /// A whole number of events a second, as in `100000/s`.
    Rate, RATE,
    /// Events a second.
    per_s
}

const PERCENT: Quantity = Quantity {
    name: "percentage",
    zero: "0%",
    units: &[("%", 10)],
    example: "50%",
    range: 0..=1000,
    mistaken: &[],
    sums: false,
};

quantity_type! {
    /// A share from `0%` to `100%`, to one decimal.
    Percent, PERCENT,
    /// In 1/1000.
    permille
}

const LOSS: Quantity = Quantity {
    name: "loss",
    zero: "0%",
    units: &[("%", 10_000)],
    example: "0.01%",
    range: 0..=100_000,
    mistaken: &[],
    sums: false,
};

quantity_type! {
    /// The share of packets that are lost, from `0%` to `10%`, to four decimals.
    Loss, LOSS,
    /// Of a million packets.
    per_million
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wrong<T: std::str::FromStr<Err = String> + std::fmt::Debug>(text: &str) -> String {
        text.parse::<T>().unwrap_err()
    }

    #[test]
    fn quantities_parse_exactly_and_print_shortly() {
        let durations = [
            ("1.16ms", 1_160_000, "1.16ms"),
            ("1160us", 1_160_000, "1.16ms"),
            ("30m", 1_800_000_000_000, "30m"),
            ("90s", 90_000_000_000, "90s"),
            ("100ms", 100_000_000, "100ms"),
            ("0s", 0, "0s"),
            ("0.5h", 1_800_000_000_000, "30m"),
            ("1500ms", 1_500_000_000, "1.5s"),
            ("1h30m", 5_400_000_000_000, "90m"),
            ("1h 30m 5 s", 5_405_000_000_000, "5405s"),
            ("30 m", 1_800_000_000_000, "30m"),
        ];
        for (text, nanos, printed) in durations {
            let duration: Duration = text.parse().unwrap();
            assert_eq!(
                (duration.nanos(), duration.to_string().as_str()),
                (nanos, printed)
            );
        }
        assert_eq!("100 GiB".parse::<Size>().unwrap().bytes(), 100 << 30);
        assert_eq!("1536MiB".parse::<Size>().unwrap().to_string(), "1.5GiB");
        let bandwidth = "2.5Gbit/s".parse::<Bandwidth>().unwrap();
        assert_eq!(bandwidth.bits_per_s(), 2_500_000_000);
        assert_eq!("12.5%".parse::<Percent>().unwrap().permille(), 125);
        let loss = "0.01%".parse::<Loss>().unwrap();
        assert_eq!(
            (loss.per_million(), loss.to_string().as_str()),
            (100, "0.01%")
        );
        assert_eq!(
            "125MiB/s".parse::<Throughput>().unwrap().bytes_per_s(),
            125 << 20
        );
    }

    #[test]
    fn wrong_quantities_say_what_was_expected() {
        let units = "expected a number with h, m, s, ms, us or ns, as in `30m`";
        assert_eq!(
            wrong::<Duration>("30 parsecs"),
            format!("`30 parsecs` is not a duration; {units}")
        );
        assert_eq!(
            wrong::<Duration>(""),
            format!("`` is not a duration; {units}")
        );
        assert_eq!(
            wrong::<Duration>("1e3s"),
            format!("`1e3s` is not a duration; {units}")
        );
        assert_eq!(
            wrong::<Duration>("30"),
            format!("`30` has no unit; {units}")
        );
        assert_eq!(
            wrong::<Duration>("-3s"),
            "`-3s` is negative; expected a duration as in `30m`"
        );
        assert_eq!(
            wrong::<Duration>("0.5ns"),
            "`0.5ns` is too fine; a duration counts in steps of 1ns"
        );
        assert_eq!(
            wrong::<Duration>("30sec"),
            "`30sec` is not a duration; write `30s`"
        );
        for unordered in ["30m1h", "1h2h", "1h30", "1hm", " 1h", "1  h"] {
            let said = wrong::<Duration>(unordered);
            assert!(said.starts_with(&format!("`{unordered}` ")), "{said}");
        }
        assert_eq!(
            wrong::<Duration>("1h30min"),
            "`1h30min` is not a duration; write `1h30m`"
        );
        assert_eq!(
            wrong::<Duration>("99999h60m1ns"),
            "`99999h60m1ns` is too large for a duration; expected at most 100000h"
        );
        assert_eq!(
            wrong::<Size>("1GiB512MiB"),
            "`1GiB512MiB` is not a size; expected a number with TiB, GiB, MiB, KiB or B, as in `400GiB`"
        );
        assert_eq!(
            wrong::<Duration>("99999999h"),
            "`99999999h` is too large for a duration; expected at most 100000h"
        );
        assert_eq!(
            wrong::<Size>("400GB"),
            "`400GB` is not a size; write `400GiB`"
        );
        assert_eq!(
            wrong::<Size>("0KiB"),
            "`0KiB` is zero; expected a size as in `400GiB`"
        );
        assert_eq!(
            wrong::<Percent>("101%"),
            "`101%` is too large for a percentage; expected at most 100%"
        );
        assert_eq!(
            wrong::<Rate>("1.5/s"),
            "`1.5/s` is too fine; a rate counts in steps of 1/s"
        );
    }

    proptest! {
        #[test]
        fn printing_then_parsing_is_the_identity(n in 1_u64..=1 << 58, permille in 0_u64..=1000) {
            prop_assert_eq!(Duration::new(n).to_string().parse(), Ok(Duration::new(n)));
            prop_assert_eq!(Size::new(n).to_string().parse(), Ok(Size::new(n)));
            prop_assert_eq!(Rate::new(n >> 30).to_string().parse(), Ok(Rate::new(n >> 30)));
            let percent = Percent::new(permille);
            prop_assert_eq!(percent.to_string().parse(), Ok(percent));
        }

        #[test]
        fn any_text_parses_or_errs(text in "\\PC*") {
            let _ = text.parse::<Duration>();
            let _ = text.parse::<Size>();
            let _ = text.parse::<Date>();
        }

        #[test]
        fn any_number_with_a_unit_parses_or_errs(text in "[0-9]{0,30}\\.?[0-9]{0,30}(ns|h|TiB|%|/s)") {
            let _ = text.parse::<Duration>();
            let _ = text.parse::<Size>();
            let _ = text.parse::<Percent>();
            let _ = text.parse::<Rate>();
        }
    }
}
