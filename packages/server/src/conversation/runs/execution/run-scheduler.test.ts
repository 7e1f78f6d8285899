import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  alice,
  bob,
  expectAgreement,
  hello,
  openRunsFixture,
  type RunsFixture,
} from '../../../../testing/runs-fixture.ts';
import type { ScriptedRun } from '../../../../testing/scripted-runner.ts';

const forever = new AbortController().signal;

let fixture: RunsFixture;

beforeEach(async () => {
  fixture = await openRunsFixture();
});

afterEach(() => fixture.close());

test('never more runs work at once than there are slots, and owners take turns', async () => {
  const { runs, runner } = await fixture.start({ slots: 2 });
  const started = [];
  for (let n = 0; n < 6; n += 1)
    started.push(
      await runs.start(alice, await fixture.thread(`a${n}`), hello(), { claim: true, expect: true }),
    );
  for (let n = 0; n < 2; n += 1)
    started.push(
      await runs.start(bob, await fixture.thread(`b${n}`, 'bob'), hello(), { claim: true, expect: true }),
    );
  const atWork: ScriptedRun[] = [await runner.next(), await runner.next()];
  const users: string[] = atWork.map(({ request }) => request.userId);
  for (let left = 6; left > 0; left -= 1) {
    expect(runner.unseen).toBe(0);
    atWork.shift()?.succeed();
    const next = await runner.next();
    atWork.push(next);
    users.push(next.request.userId);
  }
  for (const run of atWork) run.succeed();
  for (const { result } of started) expect((await result(forever)).run.status).toBe('success');
  expect(users.slice(0, 6).filter((user) => user === 'bob')).toHaveLength(2);
  expect(await expectAgreement(fixture)).toEqual([]);
});

test('as many runs wait as are allowed; more are refused before they are stored', async () => {
  const { runs, runner } = await fixture.start({
    slots: 1,
    limits: { waiting: 3, waitingPerUser: 2, recursion: { standard: 100, max: 1_000 } },
  });
  await fixture.thread('a');
  await fixture.thread('b', 'bob');
  for (let n = 0; n < 3; n += 1) await runs.start(alice, 'a', hello());
  await runner.next();
  await expect(runs.start(alice, 'a', hello())).rejects.toMatchObject({ code: 'too_many_runs' });
  await runs.start(bob, 'b', hello());
  await expect(runs.start(bob, 'b', hello())).rejects.toMatchObject({ code: 'too_many_runs' });
  expect(await fixture.database.read.selectFrom('runs').select('run_id').execute()).toHaveLength(4);
});

test('a run that begins at once is admitted beside a full line, and one that would wait is not', async () => {
  const { runs } = await fixture.start({
    slots: 2,
    limits: { waiting: 1, waitingPerUser: 1, recursion: { standard: 100, max: 1_000 } },
  });
  await fixture.thread('a');
  await runs.start(alice, 'a', hello(), { claim: true });
  await runs.start(alice, 'a', hello(), { claim: true });
  const refused = runs.start(alice, 'a', hello(), { claim: true });
  await expect(refused).rejects.toMatchObject({ code: 'too_many_runs' });
  const other = await runs.start(alice, await fixture.thread('b'), hello(), { claim: true });
  expect(other.run.status).toBe('running');
});

test('a run that finds room begins in the unit that stores it, and waits otherwise', async () => {
  const { runs, runner } = await fixture.start({ slots: 1 });
  const first = await runs.start(alice, await fixture.thread('a'), hello(), { claim: true });
  expect(first.run).toMatchObject({ status: 'running', attempt: 1 });
  const second = await runs.start(alice, await fixture.thread('b'), hello(), { claim: true });
  expect(second.run).toMatchObject({ status: 'pending', attempt: 0 });
  (await runner.next()).succeed();
  expect((await runner.next()).runId).toBe(second.run.run_id);
});

test('a run that is refused leaves its room to others', async () => {
  const { runs, runner } = await fixture.start({ slots: 1 });
  await fixture.thread('a');
  const refused = runs.start(alice, 'a', hello({ follow_up_to_run_id: 'unknown' }), { claim: true });
  await expect(refused).rejects.toMatchObject({ code: 'validation_failed' });
  const { run } = await runs.start(alice, 'a', hello(), { claim: true });
  expect((await runner.next()).runId).toBe(run.run_id);
});
