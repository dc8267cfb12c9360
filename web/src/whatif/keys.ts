// Ctrl+Z and its kin, wherever the focus is but in text that undoes itself.

export function undoneByKeys(undo: () => void, redo: () => void): void {
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    if (event.target instanceof HTMLTextAreaElement) return;
    const key = event.key.toLowerCase();
    const action = { z: event.shiftKey ? redo : undo, y: redo }[key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
