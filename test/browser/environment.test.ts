import { canBrowse } from '@switchyard/dev-env/chromium';
import { startGateway } from '@switchyard/dev-env/gateway';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults } from './support/axe.ts';
import { beyondWindow } from './support/beyond-window.ts';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

/** As long as a name may be. */
const name = 'Staging in the north';

describe.runIf(canBrowse)('a gateway with a name', () => {
  let stage: Stage;
  let admin: HttpSession;

  beforeAll(async () => {
    stage = await Stage.open({ settings: { version: 1, ui: { environment: { name, color: 'amber' } } } });
    admin = await stage.admin();
  });
  afterAll(() => stage?.close());

  it.each([1280, 640, 320])('shows it at %i pixels wherever the page is scrolled to', async (width) => {
    for (const theme of ['light', 'dark'] as const) {
      const { page, faults } = await stage.visit({ session: admin, width, theme });
      await page.goto('/system');
      const badge = page.getByRole('banner').getByText(name).filter({ visible: true });
      await badge.waitFor();
      await page.getByRole('heading', { level: 2 }).last().scrollIntoViewIfNeeded();
      const place = await badge.boundingBox();
      expect(place?.y).toBeGreaterThanOrEqual(0);
      expect(place?.width).toBeGreaterThan(100);
      expect([await beyondWindow(page), await accessibilityFaults(page), faults]).toEqual([[], [], []]);
    }
    await stage.closePages();
  });

  it('says on its sign-in page when the browser is signed in at another gateway on the same host', async () => {
    const other = await startGateway();
    const session = await other.register('ada@example.com');
    const { page, faults } = await stage.visit({ session, statuses: [401] });
    const text = wordsOf('en')('sign-in');
    await page.goto('/');
    await page.getByText(text('login.foreign')).waitFor();
    expect([await accessibilityFaults(page), faults]).toEqual([[], []]);
    await page.context().clearCookies();
    await page.reload();
    await page.getByRole('button', { name: text('login.submit') }).waitFor();
    expect(await page.getByText(text('login.foreign')).count()).toBe(0);
    await stage.closePages();
    await other.stop();
  });
});
