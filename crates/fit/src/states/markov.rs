//! A hidden Markov model of two states with normal levels.

/// What was seen in a row, without a break.
pub(super) type Chain = Vec<f64>;

/// Rounds of the algorithm at most, and the gain in log-likelihood that ends it.
const ROUNDS: usize = 200;
const GAIN: f64 = 1e-6;

/// A standard deviation is not below this, or a state of equal levels would be infinitely likely.
const LEAST_SD: f64 = 1e-3;

/// Levels that a state must have at least; of fewer no model is made.
const LEAST: usize = 20;

/// Parameters of two states: means, standard deviations and chances to leave. One has two.
const PARAMETERS: [f64; 2] = [6.0, 2.0];

/// The model; state 1 has the higher mean.
#[derive(Clone, Debug)]
pub(super) struct Markov {
    mean: [f64; 2],
    sd: [f64; 2],
    /// The chance to leave each state from one level to the next.
    pub(super) leave: [f64; 2],
    /// By how much Schwarz's criterion prefers it to one state.
    pub(super) evidence: f64,
}

/// What is expected of the states, given the levels.
#[derive(Clone, Debug, Default)]
struct Expected {
    likelihood: f64,
    /// For each chain and level, the probability of state 1.
    shares: Vec<Chain>,
    /// Changes from each state, and levels from which there could have been one.
    left: [f64; 2],
    stood: [f64; 2],
}

impl Markov {
    /// The most likely model; none of too few levels, or of equal ones.
    pub(super) fn fit(chains: &[Chain]) -> Option<Self> {
        let all: Vec<f64> = chains.iter().flatten().copied().collect();
        if all.len() < 2 * LEAST {
            return None;
        }
        let one = normal(&all, &vec![1.0; all.len()]);
        let single: f64 = all.iter().map(|x| density(*x, one.0, one.1).ln()).sum();
        let mut model = Self::first(&all);
        let mut before = f64::NEG_INFINITY;
        for _ in 0..ROUNDS {
            let expected = model.expected(chains);
            let gain = expected.likelihood - before;
            before = expected.likelihood;
            model.follow(&all, &expected);
            if gain.abs() < GAIN {
                break;
            }
        }
        if model.mean[0] > model.mean[1] {
            model.mean.reverse();
            model.sd.reverse();
            model.leave.reverse();
        }
        let criterion = |likelihood: f64, parameters: f64| {
            parameters * (all.len() as f64).ln() - 2.0 * likelihood
        };
        model.evidence = criterion(single, PARAMETERS[1]) - criterion(before, PARAMETERS[0]);
        Some(model)
    }

    /// How many times as large the levels of state 1 are: levels are logarithms.
    pub(super) fn ratio(&self) -> f64 {
        (self.mean[1] - self.mean[0]).exp()
    }

    /// For each chain and level, the probability of state 1.
    pub(super) fn shares(&self, chains: &[Chain]) -> Vec<Chain> {
        self.expected(chains).shares
    }

    /// Where to begin: the levels above the middle of their range are state 1.
    fn first(all: &[f64]) -> Self {
        let mut sorted = all.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];
        let middle = f64::midpoint(at(0.01), at(0.99));
        let share: Vec<f64> = all.iter().map(|x| f64::from(*x > middle)).collect();
        let other: Vec<f64> = share.iter().map(|share| 1.0 - share).collect();
        let (low, high) = (normal(all, &other), normal(all, &share));
        Self {
            mean: [low.0, high.0],
            sd: [low.1, high.1],
            leave: [0.05; 2],
            evidence: 0.0,
        }
    }

    fn follow(&mut self, all: &[f64], expected: &Expected) {
        let ones: Vec<f64> = expected.shares.iter().flatten().copied().collect();
        let zeros: Vec<f64> = ones.iter().map(|share| 1.0 - share).collect();
        for (state, weights) in [zeros, ones].iter().enumerate() {
            (self.mean[state], self.sd[state]) = normal(all, weights);
            let leave = expected.left[state] / expected.stood[state].max(1e-9);
            self.leave[state] = leave.clamp(1e-6, 0.999);
        }
    }

    /// The forward and backward passes, scaled.
    fn expected(&self, chains: &[Chain]) -> Expected {
        let mut expected = Expected::default();
        for chain in chains {
            self.expect(chain, &mut expected);
        }
        expected
    }

    fn expect(&self, chain: &[f64], expected: &mut Expected) {
        let stay = |from: usize, to: usize| match from == to {
            true => 1.0 - self.leave[from],
            false => self.leave[from],
        };
        let seen = |x: f64| [0, 1].map(|state| density(x, self.mean[state], self.sd[state]));
        let rest = self.leave[0] / (self.leave[0] + self.leave[1]);
        let mut before = [1.0 - rest, rest];
        let mut forward = Vec::with_capacity(chain.len());
        for (place, &x) in chain.iter().enumerate() {
            let into = match place {
                0 => before,
                _ => [0, 1].map(|to| before[0] * stay(0, to) + before[1] * stay(1, to)),
            };
            let joint = [into[0] * seen(x)[0], into[1] * seen(x)[1]];
            let scale = joint[0] + joint[1];
            expected.likelihood += scale.ln();
            before = joint.map(|it| it / scale);
            forward.push((before, scale));
        }
        let mut backward = [1.0; 2];
        let mut shares = vec![0.0; chain.len()];
        for place in (0..chain.len()).rev() {
            let (here, _) = forward[place];
            let both = [here[0] * backward[0], here[1] * backward[1]];
            shares[place] = both[1] / (both[0] + both[1]);
            if place == 0 {
                break;
            }
            let scale = forward[place].1;
            let ahead = [0, 1].map(|to| seen(chain[place])[to] * backward[to] / scale);
            let (past, _) = forward[place - 1];
            for from in 0..2 {
                let change = past[from] * stay(from, 1 - from) * ahead[1 - from];
                expected.left[from] += change;
                expected.stood[from] += change + past[from] * stay(from, from) * ahead[from];
            }
            backward = [0, 1].map(|from| stay(from, 0) * ahead[0] + stay(from, 1) * ahead[1]);
        }
        expected.shares.push(shares);
    }
}

/// Weighted mean and standard deviation.
fn normal(levels: &[f64], weights: &[f64]) -> (f64, f64) {
    let all: f64 = weights.iter().sum::<f64>().max(1e-9);
    let pairs = || levels.iter().zip(weights);
    let mean = pairs().map(|(x, weight)| x * weight).sum::<f64>() / all;
    let square = pairs().map(|(x, weight)| weight * (x - mean).powi(2));
    (mean, (square.sum::<f64>() / all).sqrt().max(LEAST_SD))
}

/// The normal density, never 0: a level far from both means is as likely in either.
fn density(x: f64, mean: f64, sd: f64) -> f64 {
    let distance = (x - mean) / sd;
    ((-0.5 * distance * distance).exp() / (sd * std::f64::consts::TAU.sqrt())).max(1e-300)
}
