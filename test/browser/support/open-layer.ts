import type { Locator, Page } from 'playwright-core';

/** Finds the dialog or panel that lies over the page. A message at the edge has the same role, and its type as an attribute. */
export function openLayer(page: Page): Locator {
  return page.getByRole('dialog').and(page.locator(':not([data-type])'));
}
