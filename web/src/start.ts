// What every page does: draws its figures, and follows light, dark and paper.

import { html } from "./dom";
import { read } from "./figure";
import { Figures } from "./figures";
import { onPaper, switcher } from "./theme";

/** The page, once its own figures are drawn. */
export interface Started {
  /** Says words to a screen reader, without moving the focus. */
  say: (words: string) => void;
  /** Makes figures that follow the colours and the paper of the page. */
  figures: () => Figures;
}

export function start(): Started {
  const all: Figures[] = [];
  const say = announcer();
  const figures = () => {
    const made = new Figures(say);
    all.push(made);
    return made;
  };
  const own = read(document.getElementById("figures")?.textContent ?? "");
  figures().draw(
    own,
    own.map((_, number) => document.getElementById(`figure-${number}`)),
  );
  document.getElementById("controls")?.append(
    switcher(() => {
      for (const each of all) each.refresh();
    }),
  );
  onPaper(() => {
    for (const each of all) each.drawAll();
  });
  return { say, figures };
}

function announcer(): (words: string) => void {
  const live = html("div", { class: "unseen", role: "status" });
  document.body.append(live);
  return (words) => {
    live.textContent = words;
  };
}
