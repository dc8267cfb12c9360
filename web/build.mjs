// The scripts and styles of pages, each as one file, into the Python package. `page` is of pages
// that are only read; `whatif` is of those with the simulator, whose worker's script it has as text.
import { readFile } from "node:fs/promises";
import { build } from "esbuild";

const licence = await readFile("node_modules/uplot/LICENSE", "utf8");

const options = {
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  logLevel: "warning",
};

const worker = await build({ ...options, entryPoints: ["src/whatif/worker.ts"], write: false });

await build({
  ...options,
  entryPoints: ["src/page.ts", "src/page.css", "src/whatif.ts", "src/whatif.css"],
  outdir: "../python/blockyard/pages/assets",
  define: { WORKER: JSON.stringify(worker.outputFiles[0].text.trim()) },
  banner: { js: `/*! uPlot\n${licence}*/` },
});
