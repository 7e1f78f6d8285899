import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessibilityFaults } from './axe.ts';
import { greenPhoto, softGraph } from './cut-out.ts';
import type { Hands } from './hands.ts';
import { openLayer } from './open-layer.ts';
import { type Words, wordsOf } from './words.ts';

interface Manner {
  hands: Hands;
  locale: 'en' | 'zh-CN';
  faults: readonly string[];
}

/** A user who goes through the studio in one look and with one kind of hands. Each screen is looked at on the way. */
export class StudioWalker {
  readonly faults: readonly string[];
  readonly #page: Page;
  readonly #hands: Hands;
  readonly #words: Words;
  readonly #text: ReturnType<Words>;

  constructor(page: Page, { hands, locale, faults }: Manner) {
    this.faults = faults;
    this.#page = page;
    this.#hands = hands;
    this.#words = wordsOf(locale);
    this.#text = this.#words('workflows');
  }

  async importWorkflow(name: string): Promise<void> {
    await this.#page.goto('/');
    await this.#heading().waitFor();
    await this.#goTo('workflows');
    await this.#look('workflows');
    const content = JSON.stringify(softGraph);
    await this.#chooseFile(this.#text('import.choose'), { name: `${name}.json`, content });
    await this.#button(this.#text('save.submit')).waitFor();
    await this.#look('found workflow');
    await this.#hands.press(this.#button(this.#text('save.submit')));
    await this.#heading(name).waitFor();
    await this.#look('workflow');
  }

  /** Finds fields by words, of which the last is the input that they set. Gives them labels, and puts them first. */
  async pinFields(fields: Record<string, string>): Promise<void> {
    const text = this.#text;
    await this.#hands.press(this.#button(text('form.edit')));
    const search = this.#page.getByRole('searchbox', { name: text('form.search') });
    await search.waitFor();
    await this.#look('form editor');
    const rows = this.#page.getByRole('list', { name: text('form.fields') }).getByRole('listitem');
    for (const [words, label] of Object.entries(fields)) {
      await this.#hands.fill(search, words);
      const row = rows.first().filter({ hasText: `· ${words.split(' ').at(-1)}` });
      await row.waitFor();
      await this.#hands.fill(row.getByRole('textbox'), label);
      await this.#hands.press(this.#button(text('form.pin', { label })));
      await this.#button(text('form.unpin', { label })).waitFor();
    }
    await this.#look('form editor with pinned fields');
    await this.#hands.press(this.#button(text('form.save')));
    await this.#button(text('form.edit')).waitFor();
  }

  /** Gives a photo of this machine to the form. */
  async takePhoto(): Promise<void> {
    const content = await greenPhoto();
    await this.#chooseFile(this.#words('kit/fields')('file.choose'), { name: 'photo.png', content });
    await this.#page.locator('[data-file-field="filled"]').waitFor();
    await this.#look('filled form');
  }

  /** Runs three values of the one pinned field with three of the other. */
  async sweep(): Promise<void> {
    const sweep = this.#words('workflows/sweep');
    await this.#hands.press(this.#button(sweep('open')));
    const layer = openLayer(this.#page);
    await this.#hands.fill(layer.getByLabel(sweep('field.values')), '1, 2, 3');
    await this.#hands.press(this.#button(sweep('axis.add')));
    await this.#hands.choose(
      layer.getByRole('combobox', { name: sweep('axis.kind') }).nth(1),
      this.#page.getByRole('option', { name: sweep('kind.range') }),
      () => this.#look('list of choices'),
    );
    for (const [field, value] of Object.entries({ from: '1', to: '3', step: '1' }))
      await this.#hands.fill(layer.getByLabel(sweep(`field.${field}`), { exact: true }), value);
    await this.#button(sweep('start', { count: 9 })).waitFor();
    await this.#look('variations');
    await this.#hands.press(this.#button(sweep('start', { count: 9 })));
    await this.#page.getByText(sweep('counts', { done: 9, count: 9 })).waitFor();
    await this.#look('grid');
  }

  /** Chooses the result in the middle of the grid, and takes its values. */
  async openCell(): Promise<void> {
    const sweep = this.#words('workflows/sweep');
    const cell = (number: number) => this.#page.locator(`[data-cell="${number}"]`);
    await this.#hands.comeTo(cell(4), { first: cell(0), keys: ['ArrowRight', 'ArrowDown'] });
    await this.#hands.press(cell(4));
    await this.#button(sweep('use')).waitFor();
    await this.#look('cell');
    await this.#hands.press(this.#button(sweep('use')));
    await this.#page.getByText(sweep('used')).waitFor();
  }

  async paintOverCell(): Promise<void> {
    const pictures = this.#words('kit/pictures');
    const menu = this.#words('kit/results')('label', { name: '' }).trim();
    await this.#hands.choose(
      this.#page.getByRole('button', { name: menu }),
      this.#page.getByRole('menuitem', { name: this.#text('bench.paintHere') }),
      () => this.#look('menu of a cell'),
    );
    const stage = this.#page.getByRole('application', { name: pictures('mask.stage') });
    await stage.waitFor();
    await this.#look('mask');
    await this.#hands.paint(stage);
    await this.#hands.press(this.#button(pictures('mask.save')));
    await stage.waitFor({ state: 'detached' });
  }

  /** Runs the workflow once with the values of the form. */
  async run(): Promise<void> {
    await this.#hands.press(this.#button(this.#text('run.start', { count: 1 })));
    await this.#page
      .getByText(
        this.#text('started.summary', { done: 1, count: 1, running: 0, stopping: 0, waiting: 0, failed: 0 }),
      )
      .waitFor();
    await this.#look('bench');
  }

  /** Makes a collection of the two newest results. */
  async collect(name: string): Promise<void> {
    const text = this.#words('gallery');
    await this.#goTo('gallery');
    const grid = this.#page.getByRole('list', { name: text('grid') });
    const picture = (place: number) => grid.locator(`[data-picture="${place}"]`);
    await picture(1).waitFor();
    await this.#look('gallery');
    const circle = this.#words('kit/pictures')('choose', { name: '' }).trim();
    for (const [place, keys] of [[], ['ArrowRight']].entries()) {
      await this.#hands.comeTo(picture(place), { first: picture(0), keys });
      await this.#hands.press(grid.getByRole('listitem').nth(place).getByRole('button', { name: circle }));
      await this.#page.getByText(text('selection.count', { count: place + 1 })).waitFor();
    }
    await this.#look('selection');
    await this.#hands.press(this.#button(text('collections.add')));
    const field = openLayer(this.#page).getByRole('textbox', { name: text('collections.name') });
    await this.#hands.fill(field, name);
    await this.#look('new collection');
    await this.#hands.press(openLayer(this.#page).getByRole('button', { name: text('collections.create') }));
    await field.waitFor({ state: 'detached' });
  }

  async shareCollection(name: string, email: string): Promise<void> {
    const text = this.#words('gallery');
    const label = `${name} ${text('collections.count', { count: 2 })}`;
    await this.#hands.press(this.#page.getByRole('link', { name: label }));
    await this.#heading(name).waitFor();
    await this.#look('collection');
    await this.#give(text('collections.actions'), { item: text('share.open'), email });
  }

  async shareWorkflow(name: string, email: string): Promise<void> {
    await this.#goTo('workflows');
    await this.#hands.press(this.#page.getByRole('main').getByRole('link', { name }));
    await this.#heading(name).waitFor();
    await this.#give(this.#text('menu.label', { name }), { item: this.#text('menu.share'), email });
  }

  async openSharedCollection(name: string, { from, count }: { from: string; count: number }): Promise<void> {
    await this.#page.goto('/');
    await this.#heading().waitFor();
    await this.#openShared(name);
    await this.#page.getByText(this.#words('gallery')('share.from', { from })).waitFor();
    await expect.poll(() => this.#page.locator('main [data-picture]').count()).toBe(count);
    await this.#look('shared collection');
  }

  async runSharedWorkflow(name: string): Promise<void> {
    await this.#openShared(name);
    await this.#look('shared workflow');
    await this.takePhoto();
    await this.run();
  }

  async #openShared(name: string): Promise<void> {
    await this.#goTo('shared');
    const link = this.#page.getByRole('main').getByRole('link', { name, exact: true });
    await link.waitFor();
    await this.#look('shared');
    await this.#hands.press(link);
    await this.#heading(name).waitFor();
  }

  async #give(menu: string, { item, email }: { item: string; email: string }): Promise<void> {
    const sharing = this.#words('sharing');
    const layer = openLayer(this.#page);
    await this.#hands.choose(this.#button(menu), this.#page.getByRole('menuitem', { name: item }), () =>
      this.#look(menu),
    );
    await this.#hands.fill(layer.getByLabel(sharing('give.email')), email);
    await this.#hands.press(layer.getByRole('button', { name: sharing('give.submit'), exact: true }));
    await layer.getByRole('button', { name: sharing('receivers.takeBackFrom', { who: email }) }).waitFor();
    await this.#look('share');
    await this.#hands.press(layer.getByRole('button', { name: sharing('dialog.close') }).last());
    await layer.waitFor({ state: 'detached' });
  }

  /** Goes to a page by the rail, or by the bar at the foot of a phone, which has the most needed ones. */
  async #goTo(name: string): Promise<void> {
    const text = this.#words('app');
    const rail = this.#page.getByRole('navigation', { name: text('rail.label') });
    const link = rail.getByRole('link', { name: text(`pages.${name}`), exact: true });
    await rail.first().waitFor();
    if ((await link.count()) === 0) await this.#hands.press(this.#button(text('more')));
    await this.#hands.press(link);
    await this.#heading(text(`pages.${name}`)).waitFor();
  }

  async #chooseFile(button: string, file: { name: string; content: string | Buffer }): Promise<void> {
    const chooser = this.#page.waitForEvent('filechooser');
    await this.#hands.press(this.#button(button));
    const { name, content } = file;
    const mimeType = name.endsWith('.png') ? 'image/png' : 'application/json';
    await (await chooser).setFiles({ name, mimeType, buffer: Buffer.from(content) });
  }

  #button(name: string): Locator {
    return this.#page.getByRole('button', { name, exact: true });
  }

  #heading(name?: string): Locator {
    return this.#page.getByRole('heading', { level: 1, ...(name !== undefined && { name }) });
  }

  /** Looks for what keeps somebody from using this screen, once nothing moves on it any more. */
  async #look(screen: string): Promise<void> {
    await this.#page.evaluate(async () => {
      // What has just come begins to move with the next frame.
      for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
      const moves = document
        .getAnimations()
        .filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
      await Promise.allSettled(moves.map(({ finished }) => finished));
    });
    expect.soft(await accessibilityFaults(this.#page), screen).toEqual([]);
  }
}
