import { says } from '../conversation-caller.ts';
import { anyWorkflow } from '../dispatch-pool.ts';
import { giveUpAfterMs } from './generated-caller.ts';
import type { KnownThings } from './known-things.ts';

interface UserOfThings {
  url: string;
  token: string;
  things: KnownThings;
}

const json = { 'content-type': 'application/json' };

/** Creates one of each thing that a user can have, so that requests find existing things. */
export async function makeThings({ url, token, things }: UserOfThings): Promise<void> {
  const call = async (method: string, path: string, body?: unknown): Promise<Record<string, string>> => {
    const isForm = body instanceof FormData;
    const answer = await fetch(new URL(path, url), {
      method,
      signal: AbortSignal.timeout(giveUpAfterMs),
      headers: { 'x-api-key': token, ...(!isForm && body !== undefined && json) },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new Error(`${method} ${path} was not answered`, { cause: error });
    });
    const text = await answer.text();
    // A user who already has the maximum keeps it.
    if (answer.status === 409) return {};
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    const made = JSON.parse(text);
    things.learn(made, path, namesIn(path));
    return made.data ?? made;
  };

  const { thread_id: thread } = await call('POST', '/api/threads', { metadata: { topic: 'x' } });
  const run = { assistant_id: 'chat', input: says('hello') };
  await call('POST', `/api/threads/${thread}/runs/wait`, run);
  const runs = `/api/threads/${thread}/runs`;
  const [ended] = (await call('GET', runs)) as unknown as { run_id: string }[];
  await call('PUT', `${runs}/${ended?.run_id}/feedback`, { rating: 1 });
  await call('GET', `/api/threads/${thread}/state`);
  await call('POST', `/api/threads/${thread}/uploads`, fileForm('files'));
  things.learn({ path: 'mnt/user-data/uploads/a.txt' }, '/api/threads', { threadid: thread ?? '' });
  await call('POST', '/api/assistants', { graph_id: 'chat', name: 'mine' });
  await call('POST', '/api/agents', { name: `helper-${thread?.slice(-8)}`, description: 'x', soul: 'x' });
  await call('POST', '/api/memory/facts', { content: `likes ${thread}` });
  await call('PUT', '/api/user-profile', { content: 'somebody' });
  const { id: task } = await call('POST', '/api/tasks', { workflow: anyWorkflow });
  await call('GET', `/api/tasks/${task}?wait=5`);
  const { id: workflowId } = await call('POST', '/api/workflows', {
    name: `saved ${thread}`,
    workflow: anyWorkflow,
  });
  if (workflowId !== undefined)
    await call('POST', '/api/sweeps', { workflowId, axes: [{ param: 'color', values: [1, 2] }] });
  await call('POST', '/api/files/upload', fileForm('file'));
  const { id: webhook } = await call('POST', '/api/webhooks', {
    url: 'http://example.com/x',
    events: ['task.completed'],
  });
  if (webhook !== undefined) await call('GET', `/api/webhooks/${webhook}/deliveries`);
  for (const path of ['skills', 'models', 'instances', 'files', 'tasks', 'assistants/search']) {
    const isSearch = path.endsWith('search');
    await call(isSearch ? 'POST' : 'GET', `/api/${path}`, isSearch ? {} : undefined);
  }
}

function namesIn(path: string): Record<string, string> {
  const thread = /\/threads\/([^/]+)/.exec(path)?.[1];
  const webhook = /\/webhooks\/([^/]+)/.exec(path)?.[1];
  return { ...(thread && { threadid: thread }), ...(webhook && { webhookid: webhook }) };
}

function fileForm(field: string): FormData {
  const form = new FormData();
  form.append(field, new Blob(['content']), 'a.txt');
  return form;
}
