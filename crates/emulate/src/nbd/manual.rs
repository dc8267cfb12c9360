use super::*;
use std::sync::Arc;
#[test]
#[ignore]
fn serve() {
    let at: Address = std::env::var("AT").unwrap().parse().unwrap();
    let mib: u64 = std::env::var("MIB").map_or(1024, |t| t.parse().unwrap());
    let tls = std::env::var("TLS")
        .ok()
        .map(|d| Tls::load(d.as_ref()).unwrap());
    let lat: u64 = std::env::var("LAT").map_or(0, |t| t.parse().unwrap());
    let disks = vec![
        Arc::new(crate::probe::disk("data", mib << 20, lat)),
        Arc::new(crate::probe::disk("wij", 8 << 20, lat)),
    ];
    let server = Server::start(disks, &at, tls.as_ref()).unwrap();
    println!("{} {}", server.uri("data"), server.uri("wij"));
    let mut t = server.probe("data", 1001).unwrap();
    t.sort();
    println!("probe p50 {:?} p99 {:?}", t[500], t[990]);
    loop {
        std::thread::park();
    }
}
