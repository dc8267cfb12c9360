// Scales of colours whose steps look equal: lightness changes evenly, so that they read the
// same to people who see fewer colours, and in grey.

/** A colour in OKLab: lightness, green to red, blue to yellow. */
type Lab = [number, number, number];

// From pale yellow through teal to dark blue; larger values stand out from the page.
const PALE: Lab = [0.95, -0.02, 0.06];
const TEAL: Lab = [0.62, -0.08, -0.05];
const BLUE: Lab = [0.28, 0.0, -0.12];

// Of differences: from what lies near the page to what stands out from it, blue below nothing
// and orange above. No kind of colour-blindness takes these two for each other. As in
// `blockyard.pages.drawing.blocks`, which draws on white.
type Side = [near: Lab, far: Lab];
const ON_LIGHT: [below: Side, above: Side] = [
  [
    [0.93, -0.01, -0.03],
    [0.42, -0.02, -0.15],
  ],
  [
    [0.93, 0.015, 0.05],
    [0.48, 0.105, 0.095],
  ],
];
const ON_DARK: [below: Side, above: Side] = [
  [
    [0.34, -0.01, -0.07],
    [0.83, -0.05, -0.075],
  ],
  [
    [0.36, 0.05, 0.055],
    [0.85, 0.03, 0.13],
  ],
];

/** The colour of a share of 0 to 1, on a light or a dark page. */
export function colourOf(share: number, dark: boolean): string {
  const place = dark ? 1 - share : share;
  return place < 0.5 ? between(PALE, TEAL, 2 * place) : between(TEAL, BLUE, 2 * place - 1);
}

/** The colour of a difference: one side's for -1 to 0, the other's for 0 to 1. */
export function colourOfDifference(share: number, dark: boolean): string {
  const [below, above] = dark ? ON_DARK : ON_LIGHT;
  const [near, far] = share < 0 ? below : above;
  return between(near, far, Math.abs(share));
}

function between(from: Lab, to: Lab, part: number): string {
  return rgb(from.map((value, i) => value + part * (to[i] - value)) as Lab);
}

/** Björn Ottosson's OKLab to sRGB. */
function rgb([lightness, a, b]: Lab): string {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return `rgb(${linear.map((value) => Math.round(255 * gamma(Math.min(1, Math.max(0, value))))).join(" ")})`;
}

function gamma(linear: number): number {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
}
