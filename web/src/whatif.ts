// A page that can be asked: its figures as in every page, and the panel over its scenario.

import { html } from "./dom";
import { start } from "./start";
import { given } from "./whatif/given";
import { Laboratory } from "./whatif/laboratory";
import { compiled } from "./whatif/module";
import { Shown } from "./whatif/shown";
import { WhatIf } from "./whatif/whatif";

async function begin(place: HTMLElement): Promise<void> {
  const { figures } = start();
  place.append(html("h2", {}, "What if"));
  try {
    const laboratory = new Laboratory(await compiled());
    const panel = new WhatIf(given(), laboratory, new Shown(place, figures()));
    place.append(...panel.elements());
    await panel.begin();
  } catch (error) {
    place.append(html("p", { class: "note", role: "status" }, (error as Error).message));
  }
}

const place = document.getElementById("what-if");
if (place) void begin(place);
else start();
