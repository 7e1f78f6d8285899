import { readFileSync } from 'node:fs';
import { testPostgres } from '@switchyard/dev-env/postgres';
import { expect, it } from 'vitest';
import { openStage, testDrill } from './drill-stage.ts';

const drill = testDrill('the stage of a drill');

it.skipIf(drill.isSkipped)(`${drill.title} that cannot be set up ends whatever it has started`, async () => {
  // The Postgres that the tests of a run share stays.
  await testPostgres('').createDatabase();
  const before = children();
  const envOf = (name: string): Record<string, string> =>
    name === 'c' ? { SWITCHYARD__SERVER__BODY_LIMIT: 'nonsense' } : {};
  await expect(openStage({ envOf })).rejects.toThrow('server.body_limit');
  await expect.poll(children).toEqual(before);
});

/** The processes that this one has started and that have not ended. */
function children(): string[] {
  return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').toSorted();
}
