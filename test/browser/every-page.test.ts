import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagesWithoutObject } from './support/addresses.ts';
import { accessibilityFaults } from './support/axe.ts';
import { type Look, Stage } from './support/stage.ts';

const looks: Look[] = (['en', 'zh-CN'] as const).flatMap((locale) =>
  [1280, 360].map((width) => ({ locale, width })),
);

describe.runIf(canBrowse)('every page', () => {
  let stage: Stage;
  let admin: HttpSession;

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
  });
  afterAll(() => stage?.close());

  describe.each(looks)('in $locale at $width pixels', (look) => {
    it.each(pagesWithoutObject)(
      '%s keeps to the policy and to WCAG 2.2 AA, light and dark',
      async (address) => {
        const { page, faults } = await stage.visit({ ...look, session: admin });
        await page.goto(address);
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        await page.waitForLoadState('networkidle');
        expect(await accessibilityFaults(page)).toEqual([]);
        await page.evaluate(() => {
          document.documentElement.dataset.theme = 'dark';
          // The colours between two themes are those of neither.
          for (const animation of document.getAnimations())
            if (animation.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY)
              animation.finish();
        });
        expect(await accessibilityFaults(page)).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, 'the page is not wider than the window').toBeLessThanOrEqual(0);
        expect(faults).toEqual([]);
        await stage.closePages();
      },
    );
  });
});
