import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { type Examined, examine } from '../src/conformance/examine.ts';
import { Subject } from '../src/conformance/subject.ts';
import { testWorker } from './support/test-worker.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are changed field by field.
type Answer = any;

/** Changes the answers of the reference worker to those of ComfyUI 0.33.0, as they were recorded. */
function asNewest(path: string, answer: Answer): Answer {
  if (path === '/queue' && answer.queue_running) {
    const stamped = (tuple: Answer) => tuple.with(3, { ...tuple[3], create_time: 1_795_823_642_113 });
    return {
      queue_running: answer.queue_running.map(stamped),
      queue_pending: answer.queue_pending.map(stamped),
    };
  }
  const isCycle =
    answer.error?.type === 'prompt_outputs_failed_validation' && Object.keys(answer.node_errors).length === 0;
  if (isCycle) answer.error = { ...answer.error, type: 'dependency_cycle', details: '1 -> 2 -> 1' };
  if (answer.error?.type === 'invalid_prompt') answer.error.type = 'missing_node_type';
  return answer;
}

async function startNewest(url: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url: path = '/' } = request;
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: Buffer.concat(chunks) };
    const answered = await fetch(`${url}${path}`, { method, ...body });
    const text = await answered.text();
    const isJson = answered.headers.get('content-type')?.startsWith('application/json');
    response.writeHead(answered.status, {
      'content-type': answered.headers.get('content-type') ?? 'text/plain',
    });
    response.end(isJson ? JSON.stringify(asNewest(path, JSON.parse(text))) : text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  ['unknown class', 'ok'],
  ['node without class_type', 'ok'],
  ['refuses a cycle', 'ok'],
  ['no reason for a cycle', 'not applicable'],
  ['any string as prompt_id', 'not applicable'],
  ['shows a prompt as', 'ok'],
])('the fact with "%s" is %s on ComfyUI 0.33', async (only, verdict) => {
  const { worker } = await testWorker();
  const subject = new Subject({ url: await startNewest(worker.url) });
  const examined: Examined[] = [];
  for await (const fact of examine(subject, { version: '0.33.0', only })) examined.push(fact);
  expect(examined.map((fact) => [fact.verdict, fact.reason])).toEqual([
    [verdict, verdict === 'ok' ? null : expect.stringContaining('up to 0.3.64')],
  ]);
});
