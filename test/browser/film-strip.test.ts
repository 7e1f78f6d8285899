import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addBoxes, type Box } from './support/fleet.ts';
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const words = wordsOf('en');

describe.runIf(canBrowse)('the film strip of a run', () => {
  let provider: ScriptedProvider;
  let stage: Stage;
  let admin: HttpSession;
  let boxes: Box[];

  beforeAll(async () => {
    provider = await startScriptedProvider();
    stage = await Stage.open({ settings: provider.settings() });
    admin = await stage.admin();
    boxes = await addBoxes(admin, ['box-a'], 20);
  });
  afterAll(async () => {
    await stage?.close();
    await provider?.close();
    await Promise.all((boxes ?? []).map((box) => box.close()));
  });

  it('has the previews that the page saw beside the finished pictures, and after a reload these alone', async () => {
    const { page, faults } = await stage.visit({ session: admin });
    await page.goto('/chat');
    const composer = page.getByRole('textbox', { name: words('chat')('composer.message') });
    await composer.fill('Make a film');
    await composer.press('Enter');
    await page.locator('main a[href^="/runs/"]').click();
    const strip = page.getByRole('list', { name: words('kit/timeline')('film') });
    const previews = strip.getByRole('img', { name: words('runs')('timeline.preview'), exact: true });
    const finished = strip.getByRole('img', { name: /watched/ });
    await finished.first().waitFor();
    await previews.first().waitFor();
    expect(await previews.first().evaluate((picture: HTMLImageElement) => picture.naturalHeight)).toBe(128);
    await previews.first().click();
    await expect.poll(() => new URL(page.url()).searchParams.get('span')).not.toBeNull();
    await page.reload();
    await finished.first().waitFor();
    expect(await previews.count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
