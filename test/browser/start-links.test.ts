import { canBrowse } from '@switchyard/dev-env/chromium';
import { afterEach, describe, expect, it } from 'vitest';
import { Stage } from './support/stage.ts';

describe.runIf(canBrowse)('the page Start here of the built console', () => {
  let stage: Stage | undefined;
  afterEach(() => stage?.close());

  it('has no link to what the gateway cannot show', async () => {
    stage = await Stage.open();
    const { page, faults } = await stage.visit({ session: await stage.admin() });
    await page.goto('/start');
    await page.getByRole('main').getByRole('link').first().waitFor();
    const links = await page
      .getByRole('link')
      .evaluateAll((found) => found.map((link) => link.getAttribute('href') ?? ''));
    expect(links).toContain('/docs');
    for (const link of new Set(links.filter((address) => address.startsWith('/')))) {
      const answer = await page.goto(link);
      expect(answer?.status(), link).toBe(200);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
    }
    expect(faults).toEqual([]);
  });
});
