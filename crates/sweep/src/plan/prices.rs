//! What each combination costs, before anything is simulated.

use blockyard_cost::Bill;

use super::Plan;

impl Plan {
    /// What the hosts and storage of each combination cost, in dollars a month; none of what is
    /// refused and where a price is not known.
    ///
    /// # Errors
    /// A line, for prices or a term that cannot be read.
    pub fn prices(&self) -> Result<Vec<Option<f64>>, String> {
        let file = self.asked.prices.own()?;
        let terms = self.asked.prices.terms(file.as_ref())?;
        let price = |combination: usize| {
            let opened = self.text(combination)?.open().ok()?;
            let bill = Bill::of(opened.scenario(), &opened.resolved, &terms, None);
            Some(bill.ok()?.per_month.dollars())
        };
        let known = |combination: usize| self.keys[combination].and_then(|_| price(combination));
        Ok((0..self.combinations.len()).map(known).collect())
    }
}
