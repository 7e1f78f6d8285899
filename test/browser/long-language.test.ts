import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagesWithoutObject } from './support/addresses.ts';
import { beyondWindow } from './support/beyond-window.ts';
import { cutTexts } from './support/cut-texts.ts';
import { addBoxes, type Box } from './support/fleet.ts';
import { makeObjects } from './support/objects.ts';
import { buildPseudoConsole, type PseudoConsole } from './support/pseudo-console.ts';
import { pseudoText } from './support/pseudo-text.ts';
import { follow, quietPage } from './support/quiet-page.ts';
import { Stage } from './support/stage.ts';

describe('a text in the language that no one speaks', () => {
  it('is longer, has accents, and keeps what the page fills in', () => {
    expect(pseudoText('Save')).toMatch(/^\[Šåṽé.{2}\]$/);
    expect(pseudoText('{count, plural, one {# new} other {# more {name}}} of {total, number}')).toMatch(
      /^\[\{count, plural, one \{# ñéŵ\} other \{# ṁöŕé \{name\}\}\} öƒ \{total, number\} .+\]$/,
    );
  });
});

describe.runIf(canBrowse)('in a language with longer words', () => {
  let stage: Stage;
  let admin: HttpSession;
  let boxes: Box[];
  let pseudo: PseudoConsole;
  let objects: string[];

  beforeAll(async () => {
    [stage, pseudo] = await Promise.all([Stage.open(), buildPseudoConsole()]);
    admin = await stage.admin();
    boxes = await addBoxes(admin, ['box-a'], 5);
    objects = await makeObjects(admin);
  });
  afterAll(async () => {
    await stage?.close();
    pseudo?.remove();
    await Promise.all((boxes ?? []).map((box) => box.close()));
  });

  it.each([1280, 360])('no page cuts its texts at %i pixels', async (width) => {
    const cut: Record<string, string[]> = {};
    const { page } = await stage.visit({ session: admin, width });
    await pseudo.serve(page);
    const isQuiet = quietPage(page);
    await page.goto('/');
    for (const address of [...pagesWithoutObject, ...objects]) {
      await follow(page, address);
      await expect.poll(isQuiet).toBe(true);
      const found = await cutTexts(page);
      found.push(...(await beyondWindow(page)));
      if (found.length > 0) cut[address] = found;
    }
    await stage.closePages();
    expect(cut).toEqual({});
  });
});
