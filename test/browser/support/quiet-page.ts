import type { Page } from 'playwright-core';

/** Goes to another page as a link does, so that the scripts are not read again. */
export async function follow(page: Page, address: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, address);
}

/** Returns a check that is true when the page has its heading and has asked for nothing since the last look. */
export function quietPage(page: Page): () => Promise<boolean> {
  let [open, begun, seen] = [0, 0, -1];
  page.on('request', () => {
    open += 1;
    begun += 1;
  });
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.on(event as 'requestfinished', () => {
      open -= 1;
    });
  return async () => {
    const hasHeading = (await page.getByRole('heading', { level: 1 }).count()) > 0;
    const isQuiet = hasHeading && open === 0 && begun === seen;
    seen = begun;
    return isQuiet;
  };
}
