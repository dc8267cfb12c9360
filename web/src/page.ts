// A page whose figures can be read, and nothing asked.

import { start } from "./start";

start();
