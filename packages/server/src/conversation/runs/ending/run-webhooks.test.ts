import { afterEach, beforeEach, expect, test } from 'vitest';
import { alice, hello, openRunsFixture, type RunsFixture } from '../../../../testing/runs-fixture.ts';
import type { RunResult } from '../runs.ts';
import type { WebhookCaller } from './run-webhooks.ts';

const url = 'https://hooks.example.com/run';
const forever = new AbortController().signal;

let fixture: RunsFixture;
let calls: { url: string; body: Record<string, unknown> }[];
let answer: { status: number } | { error: string };

const webhookCaller: WebhookCaller = {
  whyDenied: (address) => (address.includes('localhost') ? 'Its host localhost is private.' : null),
  post: async (address, { body }) => {
    calls.push({ url: address, body: JSON.parse(body) });
    return answer;
  },
};

beforeEach(async () => {
  fixture = await openRunsFixture();
  calls = [];
  answer = { status: 204 };
});

afterEach(() => fixture.close());

async function ended(threadId: string | null, fail = false): Promise<RunResult> {
  const gateway = await fixture.start({ webhookCaller });
  const { result } = await gateway.runs.start(alice, threadId, hello({ webhook: url }), {
    claim: true,
    expect: true,
  });
  const work = await gateway.runner.next();
  if (fail) work.fail('ModelError', 'no key');
  else work.succeed({ n: 1 });
  return result(forever);
}

test('a webhook is called with the run and its values when the run has ended', async () => {
  await fixture.thread('t');
  const { run } = await ended('t');
  await fixture.runJobs();
  expect(calls).toMatchObject([
    {
      url,
      body: {
        run_id: run.run_id,
        thread_id: 't',
        status: 'success',
        run_started_at: run.started_at,
        run_ended_at: run.ended_at,
        error: null,
      },
    },
  ]);
  expect(calls[0]?.body).not.toHaveProperty('webhook');
  expect(calls[0]?.body).not.toHaveProperty('worker_id');
});

test('a run that failed says why', async () => {
  await fixture.thread('t');
  await ended('t', true);
  await fixture.runJobs();
  expect(calls[0]?.body).toMatchObject({
    status: 'error',
    error: { error: 'ModelError', message: 'no key' },
  });
});

test('a call that fails is tried again, but not when the address no longer wants calls', async () => {
  await fixture.thread('t');
  await ended('t');
  const [job] = fixture.jobs;
  answer = { status: 500 };
  await expect(fixture.runJobs()).rejects.toThrow('It answered 500.');
  fixture.jobs.push(job as (typeof fixture.jobs)[number]);
  answer = { status: 410 };
  await fixture.runJobs(2);
  expect(calls).toHaveLength(2);
  const text = await fixture.metrics.render();
  expect(text).toContain('switchyard_webhook_calls_total{source="run",outcome="retried"} 1');
  expect(text).toContain('switchyard_webhook_calls_total{source="run",outcome="failed"} 1');
});

test('a thread that is deleted with its run stays until the webhook has been called', async () => {
  const { run } = await ended(null);
  await fixture.settled();
  expect(await fixture.threadRow(run.thread_id)).toBeDefined();
  await fixture.runJobs();
  expect(calls).toHaveLength(1);
  expect(await fixture.threadRow(run.thread_id)).toBeUndefined();
});

test('an address that may not be called is refused, and so is every address when webhooks are off', async () => {
  await fixture.thread('t');
  const gateway = await fixture.start({ webhookCaller });
  const denied = gateway.runs.start(alice, 't', hello({ webhook: 'http://localhost/x' }));
  await expect(denied).rejects.toMatchObject({ faults: [{ path: ['webhook'], type: 'value_error' }] });
  const without = await fixture.start();
  const unsupported = without.runs.start(alice, 't', hello({ webhook: url }));
  await expect(unsupported).rejects.toMatchObject({ faults: [{ type: 'unsupported_run_option' }] });
});
