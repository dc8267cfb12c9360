// A requirement as the fields of a form, and as the text that is planned for: JSON, which is YAML.

/** A field of the form, and the places in a requirement that it fills. */
export interface Field {
  name: string;
  label: string;
  paths: string[];
  example: string;
}

export const FIELDS: Field[] = [
  { name: "size", label: "Size of the data", paths: ["size"], example: "2TiB" },
  { name: "reads", label: "Reads a second", paths: ["reads.iops"], example: "60000" },
  { name: "writes", label: "Writes a second", paths: ["writes.iops"], example: "20000" },
  { name: "io", label: "IO size", paths: ["reads.io_size", "writes.io_size"], example: "8KiB" },
  {
    name: "p99",
    label: "p99 at most",
    paths: ["latency.read.p99", "latency.write.p99"],
    example: "2ms",
  },
  { name: "vcpu", label: "vCPUs at least", paths: ["instance.vcpu"], example: "16" },
  { name: "memory", label: "Memory at least", paths: ["instance.memory"], example: "128GiB" },
  { name: "region", label: "Region", paths: ["region"], example: "us-east-1" },
];

type Tree = { [key: string]: Tree | string | number };

export type Values = Record<string, string>;

/** The requirement that fields state; empty ones state nothing. */
export function requirement(values: Values): string {
  const tree: Tree = { name: "plan" };
  for (const { name, paths } of FIELDS) {
    const value = values[name]?.trim() ?? "";
    if (value === "") continue;
    for (const path of paths.filter((path) => isOfARate(path, values))) put(tree, path, value);
  }
  return JSON.stringify(tree, null, 1);
}

/** The values of fields in a requirement; undefined if it is no JSON. */
export function valuesOf(text: string): Values | undefined {
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    return undefined;
  }
  return Object.fromEntries(
    FIELDS.map(({ name, paths }) => [
      name,
      paths.map((path) => at(tree, path)).find((value) => value !== "") ?? "",
    ]),
  );
}

/** The field that states what is at a path of a requirement. */
export function fieldAt(path: string): Field | undefined {
  return FIELDS.find(({ paths }) =>
    paths.some((one) => one === path || one.startsWith(`${path}.`)),
  );
}

/** What concerns reads or writes is only said of those there are. */
function isOfARate(path: string, values: Values): boolean {
  if (/^reads\.io|^latency\.read/.test(path)) return Boolean(values.reads?.trim());
  if (/^writes\.io|^latency\.write/.test(path)) return Boolean(values.writes?.trim());
  return true;
}

function put(tree: Tree, path: string, value: string): void {
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let place = tree;
  for (const key of keys) {
    const next = place[key];
    const inner = typeof next === "object" ? next : {};
    place[key] = inner;
    place = inner;
  }
  place[last] = /^\d+$/.test(value) ? Number(value) : value;
}

function at(tree: unknown, path: string): string {
  const found = path
    .split(".")
    .reduce<unknown>(
      (place, key) =>
        typeof place === "object" && place !== null && Object.hasOwn(place, key)
          ? (place as Record<string, unknown>)[key]
          : undefined,
      tree,
    );
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
}
