//! A candidate as a layout, with its bill.

use blockyard_catalog::Purpose;

use crate::answer::layout::{Item, Layout, Volumes};
use crate::answer::plan::dollars;
use crate::answer::purchase::describe;
use crate::load::streams::CHUNK;
use crate::market::Variant;
use crate::search::Search;
use crate::search::candidates::{Candidate, Placed};

impl Search<'_, '_> {
    /// A candidate in full.
    pub(crate) fn described(&self, candidate: &Candidate<'_>) -> Layout {
        describe(self.market, self.needs, self.layout(candidate))
    }

    /// A candidate with its bill, but without what the load takes of its limits.
    pub(crate) fn layout(&self, candidate: &Candidate<'_>) -> Layout {
        let host = &self.market.instances[candidate.host];
        let stored = &candidate.stored;
        let mut layout = Layout {
            instance: host.instance.name().to_owned(),
            architecture: host.instance.architecture().to_owned(),
            burstable: host.instance.purpose() == Purpose::Burstable,
            vcpu: host.instance.vcpu(),
            memory_mib: host.instance.memory_mib(),
            zones: None,
            copies: self.copies(),
            replicas: None,
            data: self.volumes(&stored.data),
            journal: stored.journal.as_ref().map(|it| self.volumes(it)),
            bill: self.bill(candidate),
            usd_per_month: dollars(candidate.price),
            micros: candidate.price,
            yearly_loss: None,
            outgrown: None,
            limits: Vec::new(),
            latency: Vec::new(),
            simulated: None,
            held: None,
            hottest: None,
        };
        layout.charge(self.inter_zone.as_ref());
        layout
    }

    /// What is bought, over all copies.
    fn bill(&self, candidate: &Candidate<'_>) -> Vec<Item> {
        let host = &self.market.instances[candidate.host];
        let copies = self.copies();
        let item = |what: String, count: u32, one: i64| Item {
            what,
            count: count.into(),
            usd_per_month: dollars(one * i64::from(count)),
            assumed: None,
        };
        let name = host.instance.name().to_owned();
        let mut bill = vec![item(name, copies, host.price.clone().unwrap_or(0))];
        let journal = candidate.stored.journal.iter().map(|it| ("journal ", it));
        for (prefix, placed) in [("", &candidate.stored.data)].into_iter().chain(journal) {
            let name = self.variant(placed).volume_type.name();
            let lines = placed.sized.lines.iter().filter(|it| it.amount > 0);
            bill.extend(lines.map(|line| {
                let what = format!("{prefix}{name} {}", line.what);
                item(what, placed.sized.count * copies, line.amount)
            }));
        }
        bill
    }

    fn variant(&self, placed: &Placed<'_>) -> &Variant<'_> {
        &self.market.variants[placed.variant]
    }

    fn volumes(&self, placed: &Placed<'_>) -> Volumes {
        let (variant, sized) = (self.variant(placed), placed.sized);
        Volumes {
            volume_type: variant.volume_type.name().to_owned(),
            count: sized.count,
            size: sized.got.size.bytes(),
            iops: sized.got.iops,
            throughput: sized.got.throughput.map(|it| it.bytes_per_s()),
            local: variant.counting.local,
            chunk: CHUNK,
        }
    }
}
