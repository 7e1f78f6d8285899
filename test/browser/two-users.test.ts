import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longGraph } from './support/fleet.ts';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const words = wordsOf('en');

describe.runIf(canBrowse)('two users in two browsers', () => {
  let stage: Stage;
  let one: HttpSession;
  let other: HttpSession;

  beforeAll(async () => {
    stage = await Stage.open();
    await stage.admin();
    one = await stage.member('one@example.com');
    other = await stage.member('other@example.com');
  });
  afterAll(() => stage?.close());

  it('see nothing of each other, live included', async () => {
    const { page: mine, faults } = await stage.visit({ session: one });
    const { page: theirs, faults: theirFaults } = await stage.visit({ session: other });
    await Promise.all([mine.goto('/tasks'), theirs.goto('/tasks')]);
    const empty = theirs.getByText(words('tasks')('empty.first'));
    await empty.waitFor();
    const { data } = await one.post<{ data: { id: string } }>('/api/tasks', {
      workflow: longGraph(2),
      name: 'A private picture',
    });
    await mine.getByText('A private picture').first().waitFor();
    await mine.goto('/gallery');
    await mine.getByRole('main').getByRole('img').first().waitFor();
    expect(await empty.isVisible()).toBe(true);
    expect(await theirs.getByText('A private picture').count()).toBe(0);
    await theirs.goto('/gallery');
    await theirs.getByRole('heading', { level: 1 }).waitFor();
    expect(await theirs.getByRole('main').getByRole('img').count()).toBe(0);
    await theirs.goto(`/tasks/${data.id}`);
    await theirs.getByRole('heading', { level: 1 }).waitFor();
    expect(await theirs.getByText('A private picture').count()).toBe(0);
    expect(faults).toEqual([]);
    expect(theirFaults.filter((fault) => !fault.includes('404'))).toEqual([]);
  });

  it('show a member the pages of a member, and no button that is refused', async () => {
    const { page, faults } = await stage.visit({ session: one });
    await page.goto('/overview');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const rail = page.getByRole('navigation', { name: words('app')('rail.label') }).first();
    for (const name of ['users', 'settings', 'audit', 'system'])
      expect(await rail.getByRole('link', { name: words('app')(`pages.${name}`) }).count(), name).toBe(0);
    await page.goto('/instances');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: words('instances')('add.open') }).count()).toBe(0);
    expect(await page.getByRole('switch').count()).toBe(0);
    await page.goto('/users');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: words('users')('add.open') }).count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
