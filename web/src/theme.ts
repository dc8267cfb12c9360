// Light or dark: like the system, until the button changes it; on paper always light.

import { html } from "./dom";

const root = document.documentElement;

export function isDark(node: Element): boolean {
  const scheme = getComputedStyle(node).colorScheme;
  return scheme === "light dark"
    ? matchMedia("(prefers-color-scheme: dark)").matches
    : scheme === "dark";
}

/** The button that switches; `changed` redraws what does not follow the style by itself. */
export function switcher(changed: () => void): HTMLButtonElement {
  const button = html("button", { type: "button", class: "theme" });
  const name = () => {
    button.textContent = isDark(root) ? "Light" : "Dark";
    button.setAttribute("aria-label", `${button.textContent} colours`);
  };
  name();
  button.addEventListener("click", () => {
    root.style.colorScheme = isDark(root) ? "light" : "dark";
    name();
    changed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    name();
    changed();
  });
  return button;
}

export function isOnPaper(): boolean {
  return root.classList.contains("paper");
}

/** Lays the page out as on paper while it is printed. */
export function onPaper(laidOut: () => void): void {
  let scheme = "";
  addEventListener("beforeprint", () => {
    scheme = root.style.colorScheme;
    root.style.colorScheme = "light";
    root.classList.add("paper");
    laidOut();
  });
  addEventListener("afterprint", () => {
    root.style.colorScheme = scheme;
    root.classList.remove("paper");
    laidOut();
  });
}
