import { readFileSync } from 'node:fs';
import { nameTokens } from '@switchyard/contract/dispatch/file';
import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readZip } from '../../packages/server/testing/read-zip.ts';
import { accessibilityFaults } from './support/axe.ts';
import { coloursOf, cutOutGraph, greenPhoto, softGraph } from './support/cut-out.ts';
import { dropFile, pasteFile } from './support/drop-file.ts';
import { addBoxes, type Box, longGraph } from './support/fleet.ts';
import { openLayer } from './support/open-layer.js';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const words = wordsOf('en');

const resizeGraph = {
  load: { class_type: 'LoadImage', inputs: { image: 'none.png' }, _meta: { title: 'Picture' } },
  save: { class_type: 'SaveImage', inputs: { images: ['load', 0], filename_prefix: 'taken' } },
};

/** Returns the number of the result that fills the page. */
const shownPlace = (strip: Locator) =>
  strip.locator('li', { has: strip.page().locator('[aria-current="true"]') }).getAttribute('aria-posinset');

/** Returns how opaque the painted mask is over the middle of the photo, and over its corner. */
const maskIn = (page: Page) =>
  page.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
    const context = canvas.getContext('2d');
    const alphaAt = (x: number, y: number) => context?.getImageData(x, y, 1, 1).data[3];
    return [alphaAt(48, 32), alphaAt(2, 2)];
  });

interface Workflow {
  id: string;
  name: string;
}

interface Stored {
  fileId: string;
  filename: string;
  /** Loadable without credentials. */
  url: string;
}

describe.runIf(canBrowse)('workflows and pictures in a browser', () => {
  let stage: Stage;
  let admin: HttpSession;
  let boxes: Box[];
  let page: Page;
  let faults: string[] = [];

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
    boxes = await addBoxes(admin, ['box-a'], 5);
    ({ page, faults } = await stage.visit({ session: admin }));
  });
  afterEach(() => expect(faults.splice(0)).toEqual([]));
  afterAll(async () => {
    await stage?.close();
    await Promise.all((boxes ?? []).map((box) => box.close()));
  });

  const workflows = async () =>
    (await admin.get<{ data: { items: Workflow[] } }>('/api/workflows')).data.items;
  const files = async () =>
    (await admin.get<{ data: { items: Stored[] } }>('/api/files?source=output&limit=100')).data.items;
  const total = async (query: string) =>
    (await admin.get<{ data: { total: number } }>(`/api/tasks?limit=1&${query}`)).data.total;

  const saveFound = async (name: string): Promise<void> => {
    const text = words('workflows');
    const field = page.getByRole('textbox', { name: text('save.name') });
    await field.fill(name);
    await page.getByRole('button', { name: text('save.submit') }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await expect.poll(async () => (await workflows()).map((one) => one.name)).toContain(name);
  };

  it('take a dropped JSON as a workflow, and run it three times by one click', async () => {
    const text = words('workflows');
    await page.goto('/workflows');
    const place = page.getByText(text('import.hint'));
    await dropFile(place, { name: 'inverted.json', content: JSON.stringify(longGraph(2)) });
    await page.getByText(text('save.found', { count: 4, from: 'json' })).waitFor();
    await saveFound('From JSON');
    await page.getByLabel(text('run.count')).fill('3');
    await page.getByText(text('outlook.time', { count: 3 })).waitFor();
    // Workers without a price have no word for it.
    expect(await page.getByText(text('outlook.cost', { count: 3 })).count()).toBe(0);
    await page.getByRole('button', { name: text('run.start', { count: 3 }) }).click();
    await page
      .getByText(
        text('started.summary', { done: 3, count: 3, running: 0, stopping: 0, waiting: 0, failed: 0 }),
      )
      .waitFor();
    expect(await total('status=completed')).toBe(3);
    await page.getByText(`${text('figures.runs', { count: 3 })} · `).waitFor();
  });

  it('take the workflow out of a dropped PNG', async () => {
    const [file] = await files();
    const answer = await fetch(new URL(file?.url ?? '', stage.url));
    const content = Buffer.from(await answer.arrayBuffer());
    const text = words('workflows');
    await page.goto('/workflows');
    await dropFile(page.getByText(text('import.hint')), { name: 'made.png', content, type: 'image/png' });
    await page.getByText(text('save.found', { count: 4, from: 'png' })).waitFor();
    await saveFound('From PNG');
  });

  it('run an older version, and make it the newest again', async () => {
    const text = words('workflows');
    const made = await admin.post<{ data: Workflow }>('/api/workflows', {
      name: 'Changed',
      workflow: longGraph(1),
    });
    const path = `/api/workflows/${made.data.id}`;
    await admin.put(path, { workflow: longGraph(4) });
    const newest = async () => (await admin.get<{ data: { version: number; workflow: object } }>(path)).data;
    await page.goto(`/workflows/${made.data.id}`);
    await page.getByRole('combobox', { name: text('version.label') }).click();
    await page.getByRole('option').nth(1).click();
    await page.getByRole('button', { name: text('version.restore', { version: 1 }) }).waitFor();
    await page.getByRole('button', { name: text('run.start', { count: 1 }) }).click();
    await page
      .getByText(
        text('started.summary', { done: 1, count: 1, running: 0, stopping: 0, waiting: 0, failed: 0 }),
      )
      .waitFor();
    const [file] = await files();
    const recipe = await admin.get<{ data: { savedWorkflow: { version: number } } }>(
      `/api/files/${file?.fileId}/recipe`,
    );
    expect(recipe.data.savedWorkflow.version).toBe(1);
    await page.getByRole('button', { name: text('version.restore', { version: 1 }) }).click();
    await expect.poll(async () => (await newest()).version).toBe(3);
    expect((await newest()).workflow).toEqual(longGraph(1));
  });

  it('say what a dropped file is that is not a workflow', async () => {
    const text = words('workflows');
    await page.goto('/workflows');
    await dropFile(page.getByText(text('import.hint')), { name: 'notes.txt', content: 'buy milk' });
    await page.getByText(text('found.text', { name: 'notes.txt' })).waitFor();
  });

  it('show a picture large with its recipe, and make it again', async () => {
    const text = words('gallery');
    const pictures = words('kit/pictures');
    const before = await total('status=completed');
    await page.goto('/gallery');
    await page
      .getByRole('list', { name: text('grid') })
      .locator('[data-picture="0"]')
      .click();
    const large = openLayer(page);
    const count = (await files()).length;
    await large.getByText(pictures('position', { at: 1, count })).waitFor();
    await page.keyboard.press('ArrowRight');
    await large.getByText(pictures('position', { at: 2, count })).waitFor();
    await large.getByRole('heading', { name: text('recipe.title') }).waitFor();
    await large.getByText('box-a').waitFor();
    await large.getByRole('button', { name: text('again.same') }).click();
    await page.getByText(text('again.started')).waitFor();
    await expect.poll(() => total('status=completed')).toBe(before + 1);
    await page.keyboard.press('Escape');
    await large.waitFor({ state: 'detached' });
  });

  it('compare two pictures by the arrow keys', async () => {
    const text = words('gallery');
    await page.goto('/gallery');
    const grid = page.getByRole('list', { name: text('grid') });
    await grid.locator('[data-picture="0"]').hover();
    const choose = words('kit/pictures')('choose', { name: '' }).trim();
    const buttonsOf = (place: number) => grid.getByRole('listitem').nth(place).getByRole('button');
    await expect.poll(() => buttonsOf(0).count()).toBe(3);
    // What is not pointed at is one button, so that thousands of pictures scroll.
    expect(await buttonsOf(1).count()).toBe(1);
    for (const place of [0, 1])
      await grid.getByRole('listitem').nth(place).getByRole('button', { name: choose }).click();
    await page.getByRole('button', { name: text('selection.compare') }).click();
    const edge = page.getByRole('slider');
    const at = async () => Number(await edge.getAttribute('aria-valuenow'));
    const middle = await at();
    await edge.focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(at).toBeLessThan(middle);
    await page.keyboard.press('End');
    await expect.poll(at).toBe(100);
    await page.keyboard.press('3');
    const pictures = words('kit/pictures');
    const layer = openLayer(page);
    await layer.getByText(pictures('compare.equal')).or(layer.getByText('of the pixels differ')).waitFor();
    await layer
      .getByText(words('kit/results')('differences.same'))
      .or(layer.getByRole('table'))
      .first()
      .waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('save pictures under names by a pattern, in the way that this browser was last told', async () => {
    const text = words('gallery');
    const parts = nameTokens.map((token) => `{${token}}`).join(' ');
    const names = page.getByRole('textbox', { name: text('download.names') });
    const savedNames = async () => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: text('download.submit'), exact: true }).click();
      const entries = await readZip(readFileSync(await (await download).path()));
      return entries.map(({ name }) => name).sort();
    };
    const count = (await files()).length;
    await page.goto('/gallery');
    await page.getByRole('button', { name: text('filter.zip', { count }) }).click();
    await names.fill('{sed}');
    await page.getByText(text('download.unknown', { given: '{sed}', parts })).waitFor();
    await names.fill('shot-{n}');
    for (const choice of ['download.recipes', 'download.strip'])
      await page.getByRole('checkbox', { name: text(choice) }).click();
    expect(await accessibilityFaults(page)).toEqual([]);
    const digits = String(count).length;
    const numbered = Array.from(
      { length: count },
      (_, at) => `shot-${String(at + 1).padStart(digits, '0')}.png`,
    );
    expect(await savedNames()).toEqual(numbered.flatMap((name) => [name, `${name}.json`]));
    await page.locator('[data-picture="0"]').focus();
    await page.keyboard.press('x');
    await page.getByRole('button', { name: text('selection.download') }).click();
    await expect.poll(() => names.inputValue()).toBe('shot-{n}');
    expect(await savedNames()).toEqual(['shot-1.png', 'shot-1.png.json']);
    await page.getByRole('button', { name: text('selection.all', { count }) }).click();
    await page.getByText(text('selection.count', { count })).waitFor();
  });

  it('lead by keyboard alone, on a phone and in Chinese, from an import over a grid to a mask and its result', async () => {
    const chinese = wordsOf('zh-CN');
    const text = chinese('workflows');
    const sweep = chinese('workflows/sweep');
    const fields = chinese('kit/fields');
    const pictures = chinese('kit/pictures');
    const look = { width: 360, theme: 'dark', locale: 'zh-CN' } as const;
    const phone = await stage.visit({ ...look, session: admin });
    const { page } = phone;
    const { keyboard } = page;
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const hasFocus = (target: Locator) =>
      target.evaluateAll((found) => found.some((element) => element === document.activeElement));
    /** Few Tabs lead there, unless the focus was lost on the way. */
    const goTo = async (target: Locator, key: 'Tab' | 'Shift+Tab' | 'ArrowDown' = 'Tab', most = 12) => {
      await target.first().waitFor();
      for (let count = 0; count < most && !(await hasFocus(target)); count += 1) await keyboard.press(key);
      expect([await hasFocus(target), `${target}`]).toEqual([true, `${target}`]);
    };
    const fill = async (words: string) => {
      await keyboard.press('ControlOrMeta+a');
      await keyboard.type(words);
    };
    const ran = (count: number) =>
      page
        .getByText(
          text('started.summary', { done: count, count, running: 0, stopping: 0, waiting: 0, failed: 0 }),
        )
        .waitFor();

    await page.goto('/workflows');
    await page.locator('h1:focus').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), JSON.stringify(softGraph));
    await keyboard.press('ControlOrMeta+v');
    await expect.poll(() => hasFocus(button(text('save.submit')))).toBe(true);
    await keyboard.press('Enter');

    await page.getByRole('heading', { level: 1, name: text('import.pasted') }).waitFor();
    await goTo(button(text('form.edit')), 'Tab', 40);
    await keyboard.press('Enter');
    await page.locator('h2:focus').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const search = page.getByRole('searchbox', { name: text('form.search') });
    for (const [found, label] of [
      ['blur_radius', '柔化'],
      ['sigma', '强度'],
      ['photo', '照片'],
    ] as const) {
      await goTo(search, found === 'blur_radius' ? 'Tab' : 'Shift+Tab');
      await fill(found);
      await keyboard.press('Tab');
      await fill(label);
      await goTo(button(text('form.pin', { label })), 'Tab', 1);
      await keyboard.press('Enter');
      await expect.poll(() => hasFocus(button(text('form.unpin', { label })))).toBe(true);
    }
    await keyboard.press('ControlOrMeta+Enter');
    await expect.poll(() => hasFocus(button(text('form.edit')))).toBe(true);

    await goTo(button(fields('file.gallery')), 'Shift+Tab');
    await keyboard.press('Enter');
    await goTo(openLayer(page).locator('[data-picture="0"]'));
    await keyboard.press('Enter');
    await page.locator('[data-file-field="filled"]').waitFor();
    await keyboard.press('r');
    await ran(1);

    await goTo(button(sweep('open')));
    await keyboard.press('Enter');
    const values = openLayer(page).getByLabel(sweep('field.values'));
    await goTo(values.first());
    await fill('1, 2, 3');
    await goTo(button(sweep('axis.add')));
    await keyboard.press('Enter');
    await goTo(values.nth(1));
    await fill('0.3, 1, 4');
    await goTo(button(sweep('start', { count: 9 })));
    await keyboard.press('Enter');
    await page.getByText(sweep('counts', { done: 9, count: 9 })).waitFor();
    await goTo(page.locator('[data-cell="0"]'));
    await keyboard.press('ArrowRight');
    await page.locator('[data-cell="1"]:focus').waitFor();
    await keyboard.press('ArrowDown');
    await page.locator('[data-cell="4"]:focus').waitFor();
    await keyboard.press('Enter');
    await goTo(button(sweep('use')));
    await keyboard.press('Enter');
    // A message at the edge of the window lies over the buttons of the cell.
    const cell = page.locator('section').filter({ has: button(sweep('use')) });
    await cell.getByText(sweep('used')).last().waitFor();
    expect(await page.locator('[data-file-field]').getByRole('status').innerText()).toMatch(/\.png$/);
    const [result] = await files();
    await goTo(button(chinese('kit/results')('label', { name: result?.filename ?? '' })));
    await keyboard.press('Enter');
    await goTo(page.getByRole('menuitem', { name: text('bench.paintHere') }), 'ArrowDown');
    await keyboard.press('Enter');

    await page.getByRole('application', { name: pictures('mask.stage') }).waitFor();
    await expect.poll(() => hasFocus(page.getByRole('application'))).toBe(true);
    expect(await accessibilityFaults(page)).toEqual([]);
    for (let step = 0; step < 4; step += 1) await keyboard.press(']');
    await keyboard.press('Space');
    await keyboard.press('i');
    await keyboard.press('Control+z');
    await goTo(button(pictures('mask.save')), 'Shift+Tab', 20);
    await keyboard.press('Enter');
    await page.getByRole('application').waitFor({ state: 'detached' });
    await keyboard.press('r');
    await ran(2);
    const [file] = await files();
    const bytes = await (await fetch(new URL(file?.url ?? '', page.url()))).arrayBuffer();
    const pixelAt = await coloursOf(bytes);
    expect(pixelAt(48, 32)).toEqual([255, 0, 0]);
    expect(pixelAt(2, 2)).not.toEqual([255, 0, 0]);

    // Painting goes on from the mask that the file has.
    await page.getByRole('button', { name: pictures('mask.paint') }).press('Enter');
    await page.getByRole('application').waitFor();
    await expect.poll(() => maskIn(page)).toEqual([255, 0]);
    expect(phone.faults).toEqual([]);
    await page.context().close();
  });

  it('paint a mask by keyboard alone, run with it, and go on from it', async () => {
    const text = words('workflows');
    const pictures = words('kit/pictures');
    const made = await admin.post<{ data: Workflow }>('/api/workflows', {
      name: 'Cut out',
      workflow: cutOutGraph,
    });
    await page.goto(`/workflows/${made.data.id}`);
    const field = page.locator('[data-file-field]');
    await dropFile(field, { name: 'photo.png', content: await greenPhoto(), type: 'image/png' });
    const fields = words('kit/fields');
    await field.getByRole('button', { name: fields('file.gallery') }).click();
    const search = page.getByRole('searchbox', { name: fields('file.search') });
    await search.fill('zeppelin');
    await page.getByText(fields('file.notFound')).waitFor();
    await search.fill('photo');
    await page.getByRole('dialog').locator('[data-picture="0"]').click();
    const paint = page.getByRole('button', { name: pictures('mask.paint') });
    await paint.focus();
    await page.keyboard.press('Enter');
    const stage = page.getByRole('application', { name: pictures('mask.stage') });
    await stage.waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const slider = page.getByRole('slider', { name: pictures('mask.size') });
    const width = (await slider.boundingBox())?.width ?? 0;
    const sizes: number[] = [];
    // In the middle first: the handle is not where the others are.
    for (const share of [0.5, 0.04, 0.12]) {
      await slider.click({ position: { x: width * share, y: 16 } });
      sizes.push(Number(await slider.getAttribute('aria-valuetext')));
    }
    await page.keyboard.press(']');
    sizes.push(Number(await slider.getAttribute('aria-valuetext')));
    const [medium = 0, tiny = 0, small = 0, larger = 0] = sizes;
    expect([tiny, small, larger, medium, 96]).toEqual([...sizes, 96].sort((one, other) => one - other));
    expect(new Set(sizes).size).toBe(4);
    await stage.focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('i');
    await page.keyboard.press('Control+z');
    await page.getByRole('button', { name: pictures('mask.save') }).press('Enter');
    await field.getByText('photo-mask.png').waitFor();
    await page.getByRole('button', { name: text('run.start', { count: 1 }) }).click();
    await page
      .getByText(
        text('started.summary', { done: 1, count: 1, running: 0, stopping: 0, waiting: 0, failed: 0 }),
      )
      .waitFor();
    const [file] = await files();
    const bytes = await (await fetch(new URL(file?.url ?? '', page.url()))).arrayBuffer();
    const pixelAt = await coloursOf(bytes);
    expect([pixelAt(48, 32), pixelAt(2, 2)]).toEqual([
      [255, 0, 0],
      [0, 200, 0],
    ]);
    await paint.click();
    await stage.waitFor();
    await expect.poll(() => maskIn(page)).toEqual([255, 0]);
    await page.keyboard.press('Escape');
  });

  it('keep a sitting through a reload, stay at an older result, and lead one into another workflow and a conversation', async () => {
    const text = words('workflows');
    const made = await admin.post<{ data: Workflow }>('/api/workflows', {
      name: 'Bench',
      workflow: longGraph(2),
    });
    await admin.post('/api/workflows', { name: 'Takes a picture', workflow: resizeGraph });
    const { thread_id: threadId } = await admin.post<{ thread_id: string }>('/api/threads', {});
    const menu = words('kit/results');
    const ran = (count: number) =>
      page
        .getByText(
          text('started.summary', { done: count, count, running: 0, stopping: 0, waiting: 0, failed: 0 }),
        )
        .waitFor();
    const strip = page.getByRole('list', { name: text('bench.strip') });
    await page.goto(`/workflows/${made.data.id}`);
    await page.getByRole('button', { name: text('run.start', { count: 1 }) }).waitFor();
    for (const count of [1, 2]) {
      await page.keyboard.press('r');
      await ran(count);
    }
    // A person at an older result stays there, and sees that there is a new one.
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('r');
    await ran(3);
    await page.getByRole('button', { name: words('kit')('newRows', { count: 1 }) }).waitFor();
    expect(await shownPlace(strip)).toBe('1');
    await page.reload();
    await ran(3);
    expect(await shownPlace(strip)).toBe('1');
    await page.keyboard.press('n');
    await expect.poll(() => shownPlace(strip)).toBe('3');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('d');
    await ran(2);
    await page.getByRole('button', { name: words('kit')('toast.undo') }).click();
    await ran(3);
    await page.keyboard.press('c');
    const compared = openLayer(page);
    const same = menu('differences.none');
    await compared
      .getByText(same)
      .or(compared.getByText(menu('differences.title')))
      .waitFor();
    await page.keyboard.press('Escape');
    const [file] = await files();
    const filename = file?.filename ?? '';
    const choose = async (item: string, name = filename) => {
      await page.getByRole('button', { name: menu('label', { name }) }).click();
      await page.getByRole('menuitem', { name: menu(item), exact: true }).click();
    };
    await choose('cover');
    await page.getByText(menu('covered', { name: 'Bench' })).waitFor();
    await choose('input');
    await openLayer(page).getByRole('link', { name: 'Takes a picture' }).click();
    await page.getByRole('heading', { level: 1, name: 'Takes a picture' }).waitFor();
    const filled = page.locator('[data-file-field="filled"]');
    await filled.getByText(filename).waitFor();
    await pasteFile(page, { name: 'pasted.png', content: await greenPhoto() });
    await filled.getByText('pasted.png').waitFor();
    const fields = words('kit/fields');
    await page.getByRole('button', { name: fields('file.gallery') }).click();
    await openLayer(page)
      .getByRole('list', { name: fields('file.gallery') })
      .getByRole('button', { name: filename, exact: true })
      .first()
      .click();
    await filled.getByText(filename).waitFor();
    await page.getByRole('button', { name: text('run.start', { count: 1 }) }).click();
    await ran(1);
    const [taken] = await files();
    const name = taken?.filename ?? '';
    await choose('askIn', name);
    await openLayer(page)
      .getByRole('link', { name: menu('in.untitled') })
      .click();
    await page.waitForURL(`**/chat/${threadId}*`);
    await page.getByRole('button', { name: words('chat')('composer.leaveOut', { name }) }).waitFor();
  });

  it('lead from the model in a recipe to everything made with it, and choose among the models that made files', async () => {
    const text = words('gallery');
    const models = { 'Alpha.safetensors': 2, 'Beta.safetensors': 1 };
    const before = await total('status=completed');
    for (const [model, count] of Object.entries(models)) {
      const inputs = { width: 8, height: 8, batch_size: count, color: count, ckpt_name: `sdxl/${model}` };
      const workflow = {
        first: { class_type: 'EmptyImage', inputs },
        save: { class_type: 'SaveImage', inputs: { images: ['first', 0], filename_prefix: 'modelled' } },
      };
      await admin.post('/api/tasks', { workflow });
    }
    await expect.poll(() => total('status=completed')).toBe(before + 2);
    const shown = page.getByRole('list', { name: text('grid') }).getByRole('listitem');
    const chooser = page.getByRole('combobox', { name: text('filter.model') });
    const options = page.getByRole('option');
    // The gateway counts them over all files, so it is not asked before somebody looks.
    const asked = page.waitForRequest('**/api/files/models*');
    let isOpen = false;
    const openedBefore = asked.then(() => isOpen);
    await page.goto('/gallery');
    await page.waitForLoadState('networkidle');
    isOpen = true;
    await chooser.click();
    await options.getByText('Beta.safetensors').waitFor();
    expect(await openedBefore).toBe(true);
    await page.goto('/gallery?model=alpha.safetensors');
    await expect.poll(() => shown.count()).toBe(2);
    await chooser.getByText('Alpha.safetensors', { exact: true }).waitFor();
    await chooser.click();
    expect(await options.allInnerTexts()).toEqual([text('filter.anyModel'), ...Object.keys(models)]);
    await options.getByText('Beta.safetensors').click();
    await expect.poll(() => shown.count()).toBe(1);
    await page.locator('[data-picture="0"]').click();
    await openLayer(page).waitFor();
    await page.goto(`${new URL(page.url()).pathname}?file=${new URL(page.url()).searchParams.get('file')}`);
    await openLayer(page).getByRole('link', { name: 'sdxl/Beta.safetensors' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('model')).toBe('Beta.safetensors');
    await openLayer(page).waitFor({ state: 'detached' });
    await expect.poll(() => shown.count()).toBe(1);
  });
});
