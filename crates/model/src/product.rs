//! The whole product of two numbers, which every IO takes several times.

/// `a` times `b`, exactly.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
pub(crate) const fn product(a: u64, b: u64) -> u128 {
    a as u128 * b as u128
}

/// `a` times `b`, exactly.
// WebAssembly multiplies 64 bits to 64. What the compiler calls instead multiplies 128 bits to 128,
// and took four tenths of the time of a simulation in a page.
#[cfg(target_arch = "wasm32")]
#[inline]
pub(crate) const fn product(a: u64, b: u64) -> u128 {
    by_halves(a, b)
}

#[cfg(any(test, target_arch = "wasm32"))]
#[inline]
const fn by_halves(a: u64, b: u64) -> u128 {
    const HALF: u64 = (1 << 32) - 1;
    let low = (a & HALF) * (b & HALF);
    // No sum overflows: a product of halves leaves room for two more halves.
    let middle = (a >> 32) * (b & HALF) + (low >> 32);
    let other = (a & HALF) * (b >> 32) + (middle & HALF);
    let high = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
    (high as u128) << 64 | ((other << 32) | (low & HALF)) as u128
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;

    proptest! {
        #[test]
        fn halves_give_the_whole_product(a in any::<u64>(), b in any::<u64>(), narrow in 0_u32..64) {
            for (a, b) in [(a, b), (a >> narrow, b), (u64::MAX - (a >> narrow), u64::MAX)] {
                prop_assert_eq!(by_halves(a, b), u128::from(a) * u128::from(b));
                prop_assert_eq!(product(a, b), u128::from(a) * u128::from(b));
            }
        }
    }
}
