import { expect, test } from 'vitest';
import { startFakeFleet } from './fake-fleet.ts';
import { connectClient } from './worker-client-fixture.ts';

test('a fleet of fake workers runs in a process of its own, takes its behaviour from the test, and ends with its starter', async () => {
  const fleet = await startFakeFleet(2, { keepsArrivals: true });
  const [first = 0, second = 0] = fleet.ports;
  const { client, heard, submit } = await connectClient(first);
  const { promptId } = await submit({ '1': { class_type: 'SaveImage' } });
  await heard.next('run_settled', promptId);
  await fleet.behave({ trouble: 'refuse' }, first);
  expect((await submit({ '1': { class_type: 'SaveImage' } })).outcome.outcome).toBe('invalid');
  const stats = await fleet.stats();
  expect(stats).toMatchObject([
    { port: first, accepted: 1, finished: 1, duplicateIds: 0, maxHeld: 1 },
    { port: second, accepted: 0, finished: 0 },
  ]);
  expect(Object.keys(stats[0]?.arrivals ?? {})).toEqual([promptId]);
  await client.close();
  await fleet.close();
  expect(() => process.kill(fleet.pid, 0)).toThrow();
});
