export type BrowserStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The texts that the browser did not take. */
const held = new Map<string, string>();

/**
 * The texts that this browser keeps for the console. A browser may refuse all of them, for example in a private window,
 * or have no room: then a text lasts as long as the page.
 */
export const browserStorage: BrowserStorage = {
  getItem: (key) => held.get(key) ?? unlessRefused(() => window.localStorage.getItem(key)) ?? null,
  setItem: (key, text) => {
    const isKept = unlessRefused(() => {
      window.localStorage.setItem(key, text);
      return true;
    });
    if (isKept) held.delete(key);
    else held.set(key, text);
  },
  removeItem: (key) => {
    held.delete(key);
    unlessRefused(() => window.localStorage.removeItem(key));
  },
};

function unlessRefused<Result>(use: () => Result): Result | undefined {
  try {
    return use();
  } catch {
    return undefined; // the text lasts as long as the page
  }
}
