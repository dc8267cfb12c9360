//! What somebody has, taken from a scenario: what it costs, and whether it holds a requirement.

use blockyard_catalog::{Ask, Catalog, Purpose};
use blockyard_experiment::Lab;
use blockyard_scenario::schema::{Device, Scenario, Volume};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::layout::{Item, Layout, Volumes};
use crate::answer::plan::dollars;
use crate::answer::purchase::{Purchase, describe};
use crate::market::Market;
use crate::market::prices::Prices;
use crate::proof::scenario::ScenarioWriter;
use crate::reason::Reason;
use crate::requirement::needs::{Choice, Needs};

/// What somebody has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Current {
    /// The layout.
    pub layout: Layout,
    /// The share of the load, with its headroom, that its limits hold: 1 if all.
    pub holds: f64,
    /// The share that its file systems have of the size that is needed, with free space: 1 or more
    /// if all.
    pub room: f64,
    /// The goals that it missed in the simulation.
    pub missed: Vec<Reason>,
}

/// What `scenario` has, under the load of `needs`: one instance with volumes or stripes of
/// equal volumes, of which the larger takes the data and a smaller one the journal. It is simulated
/// if there is a `lab`.
///
/// # Errors
/// If it has another form, or a price is not known.
pub fn current(
    scenario: &Scenario,
    prices: &dyn Prices,
    needs: &Needs,
    writer: &ScenarioWriter,
    lab: Option<&mut Lab<'_>>,
) -> Result<Current, String> {
    let catalog = Catalog::get().map_err(|error| error.to_string())?;
    let Some(host) = &scenario.host else {
        return Err("no single `host`; expected one, whose volumes the plan starts from".into());
    };
    let choice = Choice {
        day: writer.day,
        instance: Some(host.instance.clone()),
        local: true,
        ..Choice::default()
    };
    let market = Market::new(catalog, prices, &choice).map_err(|unknown| unknown.to_string())?;
    let mut devices = Vec::new();
    for (name, device) in &scenario.storage {
        let (volume, count, chunk) = parts(device)
            .ok_or_else(|| format!("storage.{name}: expected a volume, or a stripe of volumes"))?;
        devices.push((name, volumes(catalog, &choice, volume, count, chunk)?));
    }
    devices.sort_by_key(|(_, it)| std::cmp::Reverse(it.size * u64::from(it.count)));
    let mut devices = devices.into_iter();
    let (_, data) = devices.next().ok_or("no storage")?;
    let journal = devices.next();
    if let (Some((name, _)), None) = (&journal, &needs.journal) {
        return Err(format!(
            "storage.{name}: a second device; expected that of the data alone, as the requirement \
             has no `journal`"
        ));
    }
    let journal = journal.map(|(_, volumes)| volumes);
    if devices.next().is_some() {
        return Err(format!(
            "storage: {} devices; expected one for the data and at most one for the journal",
            scenario.storage.len()
        ));
    }
    let mut layout = Layout {
        instance: host.instance.clone(),
        architecture: market.instances[0].instance.architecture().to_owned(),
        burstable: market.instances[0].instance.purpose() == Purpose::Burstable,
        vcpu: market.instances[0].instance.vcpu(),
        memory_mib: market.instances[0].instance.memory_mib(),
        zones: None,
        copies: 1,
        replicas: None,
        data,
        journal,
        bill: Vec::new(),
        usd_per_month: 0.0,
        micros: 0,
        yearly_loss: None,
        outgrown: None,
        limits: Vec::new(),
        latency: Vec::new(),
        simulated: None,
        held: None,
        hottest: None,
    };
    bill(catalog, &choice, prices, &mut layout)?;
    let purchase = Purchase::of(&market, &layout);
    let (holds, room) = purchase.map_or((0.0, 0.0), |it| (it.bears(needs), it.has_room(needs)));
    let mut layout = describe(&market, needs, layout);
    let mut missed = Vec::new();
    // Files that do not fit cannot be simulated.
    if let Some(lab) = lab
        && layout.data.size * u64::from(layout.data.count) >= needs.size
        && let Some(proof) = writer
            .proofs(needs, std::slice::from_ref(&layout), lab)?
            .into_iter()
            .next()
            .flatten()
    {
        missed = proof.tell(&mut layout);
    }
    Ok(Current {
        layout,
        holds,
        room,
        missed,
    })
}

fn parts(device: &Device) -> Option<(&Volume, u32, u64)> {
    match device {
        Device::Volume(volume) => Some((volume, 1, crate::load::streams::CHUNK)),
        Device::Stripe(stripe) => match &*stripe.of {
            Device::Volume(volume) => Some((
                volume,
                stripe.stripe.width.get(),
                stripe.stripe.chunk.bytes(),
            )),
            _ => None,
        },
        _ => None,
    }
}

fn volumes(
    catalog: &Catalog,
    choice: &Choice,
    volume: &Volume,
    count: u32,
    chunk: u64,
) -> Result<Volumes, String> {
    let volume_type = catalog
        .volume_type(&volume.volume_type)
        .map_err(|it| it.to_string())?;
    let host = choice
        .instance
        .as_deref()
        .map(|name| catalog.instance(name));
    let host = host.transpose().map_err(|it| it.to_string())?;
    let ask = Ask {
        size: volume.size,
        iops: volume.iops,
        throughput: volume.throughput,
    };
    let got = volume_type
        .limits(&ask, host, choice.day)
        .map_err(|it| it.to_string())?;
    Ok(Volumes {
        volume_type: volume.volume_type.clone(),
        count,
        size: got.provisioned.size.bytes(),
        iops: got.provisioned.iops,
        throughput: got.provisioned.throughput.map(|it| it.bytes_per_s()),
        local: got.offer.row().local,
        chunk,
    })
}

fn bill(
    catalog: &Catalog,
    choice: &Choice,
    prices: &dyn Prices,
    layout: &mut Layout,
) -> Result<(), String> {
    let host = catalog
        .instance(&layout.instance)
        .map_err(|it| it.to_string())?;
    let mut items = vec![(layout.instance.clone(), 1, prices.instance(host)?)];
    for (prefix, one) in [
        ("", Some(&layout.data)),
        ("journal ", layout.journal.as_ref()),
    ] {
        let Some(one) = one else { continue };
        let volume_type = catalog
            .volume_type(&one.volume_type)
            .map_err(|it| it.to_string())?;
        let got = volume_type
            .limits(&one.ask(), Some(host), choice.day)
            .map_err(|it| it.to_string())?;
        for line in prices.volume(&one.volume_type, &got.provisioned)? {
            let what = format!("{prefix}{} {}", one.volume_type, line.what);
            items.push((what, one.count, line.amount * i64::from(one.count)));
        }
    }
    layout.micros = items.iter().map(|(.., amount)| amount).sum();
    layout.usd_per_month = dollars(layout.micros);
    layout.bill = items
        .into_iter()
        .filter(|(.., amount)| *amount > 0)
        .map(|(what, count, amount)| Item {
            what,
            count: count.into(),
            usd_per_month: dollars(amount),
            assumed: None,
        })
        .collect();
    Ok(())
}
