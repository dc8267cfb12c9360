"""Files that Blockyard shares with other tools: what it reads as runs, what it writes."""
