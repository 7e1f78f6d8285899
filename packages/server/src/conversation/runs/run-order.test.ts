import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  alice,
  hello,
  openRunsFixture,
  type RunsFixture,
  type RunsProcess,
} from '../../../testing/runs-fixture.ts';

let fixture: RunsFixture;
let gateway: RunsProcess;

beforeEach(async () => {
  fixture = await openRunsFixture();
  gateway = await fixture.start();
  await fixture.thread('t');
});

afterEach(() => fixture.close());

const far = hello({ assistant_id: 'far' });

describe('two runs that are posted one right after the other', () => {
  test('are admitted in that order, however long each request is checked', async () => {
    const { runs } = gateway;
    const posted = [
      runs.start(alice, 't', far),
      runs.startNow(alice, 't', hello()),
      runs.startExpecting(alice, null, { ...far, config: { configurable: { thread_id: 't' } } }),
      runs.start(alice, 't', hello()),
    ];
    const started = await Promise.all(posted);
    expect(started.map(({ run }) => run.admission)).toEqual([1, 2, 3, 4]);
  });

  test('are admitted in that order also when the first one is refused', async () => {
    const refused = gateway.runs.start(alice, 't', hello({ assistant_id: 'nobody' }));
    const second = gateway.runs.start(alice, 't', hello());
    await expect(refused).rejects.toMatchObject({ code: 'assistant_not_found' });
    expect((await second).run.admission).toBe(1);
  });
});
