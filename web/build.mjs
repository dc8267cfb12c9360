// The scripts and styles of pages, each as one file, into the Python package. `page` is of pages
// that are only read; `whatif` is of those with the simulator, whose worker's script it has as text.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const licence = await readFile("node_modules/uplot/LICENSE", "utf8");

const options = {
  outdir: "../python/blockyard/pages/assets",
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
  define: { WORKER: JSON.stringify(worker.outputFiles[0].text.trim()) },
  banner: { js: `/*! uPlot\n${licence}*/` },
});

// The scenarios that `blockyard playground` offers, by their paths; a page has no traces.
const scenarios = join("..", "scenarios");
const paths = (await readdir(scenarios, { recursive: true }))
  .filter((path) => path.endsWith(".yaml"))
  .sort();
const examples = await Promise.all(
  paths.map(async (path) => [path, await readFile(join(scenarios, path), "utf8")]),
);
await writeFile(
  join(options.outdir, "examples.json"),
  JSON.stringify(Object.fromEntries(examples.filter(([, text]) => !text.includes("kind: replay")))),
);
