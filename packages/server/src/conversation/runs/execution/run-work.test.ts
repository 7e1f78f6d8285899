import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  alice,
  expectAgreement,
  hello,
  openRunsFixture,
  type RunsFixture,
  type RunsProcess,
} from '../../../../testing/runs-fixture.ts';

const forever = new AbortController().signal;
const owner = { user: 'alice' };

let fixture: RunsFixture;
let one: RunsProcess;
let other: RunsProcess;

beforeEach(async () => {
  fixture = await openRunsFixture();
  one = await fixture.start();
  other = await fixture.start();
  await fixture.thread('t');
});

afterEach(() => fixture.close());

test('a caller who waits for a run of another process is answered although the message of its end was lost', async () => {
  const { run } = await one.runs.start(alice, 't', hello(), { claim: true });
  const result = other.runs.result(run, forever);
  const atWork = await one.runner.next();
  fixture.bus.break();
  atWork.succeed();
  await one.runs.result(run, forever);
  fixture.bus.heal();
  expect((await result).run.status).toBe('success');
});

test('a run stops although the message that it was cancelled at another process was lost', async () => {
  const { run } = await one.runs.start(alice, 't', hello(), { claim: true });
  await one.runner.next();
  fixture.bus.break();
  await other.runs.cancel(owner, { threadId: 't', runId: run.run_id }, 'interrupt');
  fixture.bus.heal();
  expect((await one.runs.result(run, forever)).run.status).toBe('interrupted');
  expect(await expectAgreement(fixture)).toEqual([]);
});

test('a run begins although the message that it was admitted was lost with its process', async () => {
  fixture.bus.break();
  const full = await fixture.start({ slots: 0 });
  const { run } = await full.runs.start(alice, 't', hello());
  fixture.bus.heal();
  const begun = await Promise.race([one.runner.next(), other.runner.next()]);
  expect(begun.runId).toBe(run.run_id);
  begun.succeed();
  await full.runs.result(run, forever);
});

test('a follower of a thread hears of the runs that other processes admit, in their order, also after messages were lost', async () => {
  const leaving = new AbortController();
  const heard: string[] = [];
  const following = (async () => {
    for await (const { run } of other.runs.followRuns(owner, 't', leaving.signal)) heard.push(run.run_id);
  })();
  const admit = async ({ runs }: RunsProcess) => (await runs.start(alice, 't', hello())).run.run_id;
  const admitted = [await admit(one)];
  await expect.poll(() => heard).toEqual(admitted);
  fixture.bus.break();
  admitted.push(await admit(one), await admit(one));
  // A process that admits a run itself finds out that others came before.
  admitted.push(await admit(other));
  await expect.poll(() => heard).toEqual(admitted);
  admitted.push(await admit(one));
  fixture.bus.heal();
  await expect.poll(() => heard).toEqual(admitted);
  leaving.abort();
  await following;
});

test('a process that dies is noticed by one that never saw a run of it', async () => {
  const dying = await fixture.start();
  const { run } = await dying.runs.start(alice, 't', hello(), { claim: true });
  await dying.runner.next();
  dying.kill();
  const diedAt = fixture.time.now();
  const begun = await fixture.passUntil(Promise.race([one.runner.next(), other.runner.next()]));
  // It was watched before, so the wait is that of its lease alone and not of a sweep as well.
  expect(fixture.time.now() - diedAt).toBeLessThan(40_000);
  expect(begun.runId).toBe(run.run_id);
  begun.succeed();
  expect((await fixture.passUntil(one.runs.result(run, forever))).run).toMatchObject({
    status: 'success',
    attempt: 2,
  });
});
