import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { newDeferred } from '../../lib/async/deferred.ts';
import { systemClock } from '../../lib/clock.ts';
import { Outbound } from '../../platform/outbound/outbound.ts';
import { noProxies } from '../../platform/outbound/proxy-rules.ts';
import { WebhookTests } from './webhook-tests.ts';

it('a webhook has one test at a time, which answers all who ask meanwhile', async () => {
  const held = newDeferred<void>();
  let calls = 0;
  const receiver = createServer((_request, response) => {
    calls += 1;
    void held.promise.then(() => response.end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const row = { id: 'hook', owner: 'ada', url: `http://127.0.0.1:${port}/`, secret: 'whsec_c2VjcmV0' };
  const tests = new WebhookTests({
    store: { get: async () => row as never },
    policy: { allowPrivate: true },
    outbound: new Outbound(noProxies),
    clock: systemClock,
    steadyClock: () => performance.now(),
  });

  const asked = [1, 2, 3].map(() => tests.run({ user: 'ada' }, 'hook'));
  await expect.poll(() => calls).toBe(1);
  held.resolve();
  const [first, ...others] = await Promise.all(asked);
  expect(others).toEqual([first, first]);
  expect(calls).toBe(1);

  expect((await tests.run({ user: 'ada' }, 'hook')).id).not.toBe(first?.id);
  receiver.close();
});
