import type { Page } from 'playwright-core';

/** Returns what makes the page wider than the window. */
export function beyondWindow(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    if (document.documentElement.scrollWidth <= innerWidth) return [];
    const outside = [...document.body.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > innerWidth + 1,
    );
    return outside.slice(0, 5).map((element) => `beyond the window: ${element.outerHTML.slice(0, 160)}`);
  });
}
