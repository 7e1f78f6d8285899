import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addBoxes, type Box, longGraph } from './support/fleet.ts';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const text = wordsOf('en')('tasks');

describe.runIf(canBrowse)('the page of a task', () => {
  let stage: Stage;
  let admin: HttpSession;
  let boxes: Box[];

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
    boxes = await addBoxes(admin, ['box-a'], 80);
  });
  afterAll(async () => {
    await stage?.close();
    await Promise.all((boxes ?? []).map((box) => box.close()));
  });

  it('says of nodes that wait how long they usually take, once five such tasks are done', async () => {
    const submit = (color: number, more: object = {}) =>
      admin.post<{ data: { id: string } }>('/api/tasks', {
        workflow: longGraph(1),
        params: { 'first.color': color },
        ...more,
      });
    for (const color of [1, 2, 3, 4, 5]) await submit(color);
    const completed = async () =>
      (await admin.get<{ data: { total: number } }>('/api/tasks?limit=1&status=completed')).data.total;
    await expect.poll(completed).toBe(5);
    const waiting = await submit(6, { pool: 'nowhere' });
    const { page, faults } = await stage.visit({ session: admin });
    await page.goto(`/tasks/${waiting.data.id}`);
    const nodes = page.getByRole('table', { name: text('nodes.title') });
    const usual = nodes.getByText(new RegExp(`^${text('nodes.usually', { time: '' })}\\d`));
    await expect.poll(() => usual.count()).toBe(3);
    expect(faults).toEqual([]);
  });
});
