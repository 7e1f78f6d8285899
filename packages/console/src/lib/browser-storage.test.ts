import { afterEach, expect, test, vi } from 'vitest';
import { browserStorage } from './browser-storage.ts';

afterEach(() => {
  browserStorage.removeItem('draft');
  vi.unstubAllGlobals();
});

/** Returns a browser that keeps nothing: reading its storage throws. */
function refusing(): object {
  return {
    get localStorage(): Storage {
      throw new DOMException('Access is denied for this document.', 'SecurityError');
    },
  };
}

function keeping(room = 100): object {
  const kept = new Map<string, string>();
  return {
    localStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, text: string) => {
        if (text.length > room) throw new DOMException('There is no room.', 'QuotaExceededError');
        kept.set(key, text);
      },
      removeItem: (key: string) => void kept.delete(key),
    },
  };
}

test('a text lasts as long as the page in a browser that refuses its storage', () => {
  vi.stubGlobal('window', refusing());
  expect(browserStorage.getItem('draft')).toBe(null);
  browserStorage.setItem('draft', 'Make it dar');
  expect(browserStorage.getItem('draft')).toBe('Make it dar');
  browserStorage.removeItem('draft');
  expect(browserStorage.getItem('draft')).toBe(null);
});

test('the newest text counts, whether the browser had room for it or not', () => {
  vi.stubGlobal('window', keeping(5));
  browserStorage.setItem('draft', 'short');
  browserStorage.setItem('draft', 'too long');
  expect(browserStorage.getItem('draft')).toBe('too long');
  browserStorage.setItem('draft', 'again');
  expect(browserStorage.getItem('draft')).toBe('again');
});
