import { expect, it } from 'vitest';
import { anyWorkflow } from './support/dispatch-pool.ts';
import { startDispatchReplicas } from './support/dispatch-replicas.ts';
import { testReplicas } from './support/replicas.ts';

const suite = testReplicas('the limits of the queue hold when two replicas take tasks at the same time');

it.skipIf(suite.isSkipped)(suite.title, async () => {
  const replicas = await startDispatchReplicas(2, {
    workers: [],
    config: { dispatch: { max_queued: 8, max_queued_per_user: 5 } },
  });
  const [a, b] = replicas.users;
  const [, admin] = replicas.admins;
  if (!a || !b || !admin) throw new Error('Two replicas are needed.');
  const submitAtBoth = async () =>
    Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        (index % 2 === 0 ? a : b).request('POST', '/api/tasks', { body: { workflow: anyWorkflow } }),
      ),
    );
  const sent = await submitAtBoth();
  const full = sent.filter(({ status }) => status === 429);
  expect(sent.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(full).toHaveLength(11);
  expect(full[0]?.headers.get('retry-after')).toBe('10');
  expect(full[0]?.body.message).toMatch(/^You have 5 tasks waiting/);
  expect((await b.call('GET', '/api/tasks?status=pending')).data.total).toBe(5);

  const others = await Promise.all(
    Array.from({ length: 5 }, () => admin.request('POST', '/api/tasks', { body: { workflow: anyWorkflow } })),
  );
  expect(others.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(others.find(({ status }) => status === 429)?.body.message).toMatch(/^The queue holds 8 tasks/);
  await replicas.stop();
});
