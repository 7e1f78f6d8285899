const texts =
  'input:not([type="checkbox"], [type="radio"], [type="image"]), textarea, select, [role="combobox"]';

/** Returns whether a key belongs to a text that is being written, so that it is not a shortcut. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest(texts) !== null;
}
