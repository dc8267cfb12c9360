//! Which blocks random IOs prefer.

use blockyard_model::workload::spec::{self as model, Preference};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Exponent, Percent};

/// Which blocks random IOs prefer: either `zipf` or `hot`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Skew {
    /// The exponent s of Zipf's law: the k-th most popular block has a probability proportional to
    /// 1 / k^s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zipf: Option<Exponent>,
    /// Some blocks get most IOs, in equal shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hot: Option<Hot>,
    /// Whether the preferred blocks are scattered over the file, as database
    /// pages are, or lie at its start.
    #[serde(default = "yes")]
    pub scatter: bool,
}

/// Some blocks get most IOs, in equal shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hot {
    /// Their share of the IOs.
    pub ios: Percent,
    /// Their share of all blocks.
    pub blocks: Percent,
}

impl Skew {
    /// As the model has it; `path` is that of what has the skew.
    ///
    /// # Errors
    /// The path of what is wrong, and what was expected.
    pub fn resolve(&self, path: &str) -> Result<model::Skew, (String, String)> {
        let preference = match (self.zipf, self.hot) {
            (Some(exponent), None) => Preference::Zipf {
                permille: exponent.permille(),
            },
            (None, Some(hot)) => {
                for (key, share) in [("ios", hot.ios), ("blocks", hot.blocks)] {
                    if share.permille() == 0 {
                        let place = format!("{path}.skew.hot.{key}");
                        let message = "`0%` is no share; expected from 0.1% to 100%";
                        return Err((place, message.into()));
                    }
                }
                Preference::Hot {
                    ios_permille: hot.ios.permille() as u32,
                    blocks_permille: hot.blocks.permille() as u32,
                }
            }
            _ => {
                let message = "expected one of `zipf` and `hot`";
                return Err((format!("{path}.skew"), message.into()));
            }
        };
        Ok(model::Skew {
            preference,
            scatter: self.scatter,
        })
    }
}

fn yes() -> bool {
    true
}
