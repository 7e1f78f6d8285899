import { expect, it, vi } from 'vitest';
import type { ListedPrompt } from '../../dispatch/tasks/prompt-list-store.ts';
import { PromptJobs } from './prompt-jobs.ts';

/** A prompt that took as many seconds as its number. */
function ended(seconds: number): ListedPrompt {
  return {
    id: `task-${seconds}`,
    promptId: `prompt-${seconds}`,
    phase: 'ended',
    status: 'completed',
    result: null,
    startedAt: '2026-01-01T00:00:00.000Z',
    finishedAt: new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString(),
    createdAt: '2026-01-01T00:00:00.000Z',
  } as ListedPrompt;
}

it('sorts the newest thousand prompts by how long they took, and has no page beyond them', async () => {
  const newest = Array.from({ length: 1_000 }, (_, index) => ended((index * 7) % 1_000));
  const list = vi.fn(async () => ({ rows: newest, total: 5_000 }));
  const jobs = new PromptJobs({ lists: { list }, records: {} as never });
  const query = { sort_by: 'execution_duration', sort_order: 'desc', limit: '200' };
  const first = await jobs.list('ada', query);
  expect(first.jobs.slice(0, 2).map(({ id }) => id)).toEqual(['prompt-999', 'prompt-998']);
  expect(first.pagination).toEqual({ offset: 0, limit: 200, total: 1_000, has_more: true });
  const last = await jobs.list('ada', { ...query, offset: '800' });
  expect(last.jobs.at(-1)?.id).toBe('prompt-0');
  expect(last.pagination.has_more).toBe(false);
  for (const [, asked] of list.mock.calls as unknown as [string, object][])
    expect(asked).toMatchObject({ limit: 1_000, offset: 0, order: 'desc' });
});
