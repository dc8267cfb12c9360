// Elements, made without writing HTML: a name that contains markup stays text.

type Attributes = Record<string, string | number | boolean>;

function furnish<E extends Element>(
  node: E,
  attributes: Attributes,
  children: (Node | string)[],
): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children);
  return node;
}

export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  return furnish(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  return furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}
