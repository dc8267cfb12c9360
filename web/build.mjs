// The page's script and style, each as one file, into the Python package.
import { readFile } from "node:fs/promises";
import { build } from "esbuild";

const licence = await readFile("node_modules/uplot/LICENSE", "utf8");

await build({
  entryPoints: ["src/page.ts", "src/page.css"],
  outdir: "../python/blockyard/pages/assets",
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  banner: { js: `/*! uPlot\n${licence}*/` },
  logLevel: "warning",
});
