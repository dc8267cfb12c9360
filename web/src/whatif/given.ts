// What the page carries for the panel: its scenarios, and whether it has a report of its own.

export interface Scenario {
  name: string;
  text: string;
  /** The group in a long list, as `Published tests`. */
  group: string;
  /** Whether the report of the page is of a simulation. */
  simulated: boolean;
}

export interface Given {
  /** Whether the page has a report of the scenarios as they are. */
  own: boolean;
  /** The regions in which a layout can be planned; null where none is planned. */
  regions: string[] | null;
  scenarios: Scenario[];
}

export function given(): Given {
  return JSON.parse(document.getElementById("given")?.textContent ?? "null");
}
