import type { Locator, Page } from 'playwright-core';

/** Finds the dialog or panel that lies over the page. A message at the edge has the same role, and its type as an attribute. */
export function openLayer(page: Page): Locator {
  return page.getByRole('dialog').and(page.locator(':not([data-type])'));
}

/** Opens what a page makes things in, by the first button of this name. */
export async function openForm(page: Page, button: string): Promise<Locator> {
  await page.getByRole('button', { name: button }).first().click();
  return openLayer(page);
}
