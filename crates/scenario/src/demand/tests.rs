use blockyard_model::units::SECOND;

use super::*;

#[test]
fn times_rates_and_sizes_may_be_written_in_several_ways() {
    let all = |text: &str| {
        let found = steps(text).unwrap();
        let found = found.iter();
        let found = found.map(|it| (it.from / SECOND, it.reads, it.writes, it.size));
        found.collect::<Vec<_>>()
    };
    let expected = [(0, 100_000, 500, 8192), (300, 0, 0, 512)];
    assert_eq!(
        all("at,reads,writes,size\n0,100,0.5,8192\n300,0,0,\n"),
        expected
    );
    assert_eq!(
        all("at, size, writes, reads\r\n1m,8KiB,0.5,100\r\n6m,0,0,0"),
        expected
    );
    let dated = "at,reads,writes,size\n2026-12-31T23:55:00Z,100,.5,8200\n\
                 2027-01-01 00:00,0,0,1KiB\n";
    assert_eq!(all(dated)[1].0, 300);
    assert_eq!(all(dated)[0].3, 8192);
    assert_eq!(all("at,reads,size\n7,1,1MiB"), [(0, 1000, 0, 1 << 20)]);
}

#[test]
fn mistakes_are_named_by_line_and_value() {
    let said = |text: &str| steps(text).unwrap_err();
    let lines = |rows: &str| said(&format!("at,reads,writes,size\n{rows}"));
    assert_eq!(
        said(""),
        "no intervals; expected a header `at,reads,writes,size`"
    );
    assert_eq!(
        said("at,read,size\n"),
        "line 1: no column is called `read`; expected at, reads, writes, size; did you mean `reads`?"
    );
    assert_eq!(
        said("at,size"),
        "line 1: neither a column `reads` nor `writes`"
    );
    assert_eq!(said("at,reads\n"), "line 1: no column `size`");
    assert_eq!(
        lines(""),
        "no intervals below the header; expected a line each"
    );
    assert_eq!(lines("0,1,1"), "line 2: 3 values; expected 4");
    assert_eq!(
        lines("0,-1,1,1"),
        "line 2: reads `-1`; expected a number of IOs a second"
    );
    assert_eq!(
        lines("0,1,1,0"),
        "line 2: size `0`; expected bytes of an IO up to 64MiB, such as 8192 or `8KiB`"
    );
    assert_eq!(
        lines("1,1,1,512\n1,1,1,512"),
        "line 3: at `1` does not come after the line before"
    );
    assert_eq!(
        lines("noon,1,1,512"),
        "line 2: at `noon`; expected seconds, `5m` or a time such as `2026-11-02T01:00:00Z`"
    );
}
