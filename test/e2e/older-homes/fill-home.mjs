/**
 * Fills a running gateway with one of each thing that a later version has to find again, and writes what it then answers.
 * `node fill-home.mjs <address> <data home> <file for the answers>`; the gateway is one that was just started in an empty home.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [address, home, file] = process.argv.slice(2);
const password = 'a password of the older home';
const graph = {
  1: { class_type: 'EmptyImage', inputs: { width: 32, height: 32, batch_size: 1, color: 255 } },
  2: { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  3: { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'older' } },
};

const credentials = readFileSync(join(home, 'admin_initial_credentials.txt'), 'utf8');
const first = /^password: (.+)$/m.exec(credentials)?.[1];
const admin = await signIn('admin@example.com', first);
await admin.send('POST', '/api/v1/auth/change-password', { current_password: first, new_password: password });
const session = await signIn('admin@example.com', password);
const { token } = await session.send('POST', '/api/v1/auth/tokens', {
  name: 'older',
  scopes: ['dispatch:read', 'conversation:read'],
});
await session.send('POST', '/api/v1/users', { email: 'ann@example.com', password });

const upload = new FormData();
upload.append('file', new Blob(['words of a file\n'], { type: 'text/plain' }), 'words.txt');
await session.send('POST', '/api/files/upload', upload);
const made = await session.send('POST', '/api/tasks', {
  workflow: graph,
  name: 'Made before',
  tags: ['older'],
});
await session.get(`/api/tasks/${made.data.id}?wait=60`);
await session.send('POST', '/api/queue/pause', { scope: 'all' });
const waiting = await session.send('POST', '/api/tasks', { workflow: graph, name: 'Cancelled before' });
await session.send('DELETE', `/api/tasks/${waiting.data.id}`);
await session.send('POST', '/api/queue/resume', { scope: 'all' });
await session.send('POST', '/api/workflows', { name: 'Kept workflow', workflow: graph });
const thread = await session.send('POST', '/api/threads', { metadata: { from: 'before' } });
const question = {
  assistant_id: 'lead_agent',
  input: { messages: [{ type: 'human', content: 'invert a picture' }] },
};
await session.send('POST', `/api/threads/${thread.thread_id}/runs/wait`, question);
await session.send('POST', '/api/memory/facts', {
  content: 'Likes green.',
  category: 'context',
  confidence: 0.9,
});
await session.send('PUT', '/api/store/items', {
  namespace: ['notes'],
  key: 'first',
  value: { text: 'kept' },
});
await session.send('POST', '/api/agents', { name: 'painter', description: 'Paints', soul: 'You paint.' });
await session.send('POST', '/api/scheduled-tasks', {
  title: 'Each morning',
  thread_id: thread.thread_id,
  prompt: 'what can you do?',
  schedule_type: 'cron',
  schedule_spec: { cron: '0 6 * * *' },
  timezone: 'Europe/Berlin',
}); // Last, so that nothing is sent there.
await session.send('POST', '/api/webhooks', { url: 'https://example.org/hook', events: ['task.completed'] });

const paths = [
  '/api/v1/users',
  '/api/v1/auth/tokens',
  '/api/tasks',
  `/api/tasks/${made.data.id}`,
  `/api/tasks/${made.data.id}/timeline`,
  '/api/files',
  '/api/workflows',
  '/api/webhooks',
  `/api/threads/${thread.thread_id}`,
  `/api/threads/${thread.thread_id}/state`,
  `/api/threads/${thread.thread_id}/messages/page`,
  `/api/threads/${thread.thread_id}/runs`,
  `/api/threads/${thread.thread_id}/token-usage`,
  '/api/memory',
  '/api/store/items?namespace=notes&key=first',
  '/api/agents',
  '/api/scheduled-tasks',
  '/api/config',
];
const answers = {};
for (const path of paths) answers[path] = await session.get(path);
writeFileSync(file, `${JSON.stringify({ email: 'admin@example.com', password, token, answers }, null, 1)}\n`);

async function signIn(username, secret) {
  const answer = await fetch(`${address}/api/v1/auth/login/local`, {
    method: 'POST',
    body: new URLSearchParams({ username, password: secret }),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.slice(0, cookie.indexOf(';')));
  const csrf = cookies.find((cookie) => cookie.startsWith('csrf_token='))?.slice('csrf_token='.length);
  const call = async (method, path, content) => {
    const isForm = content instanceof FormData;
    const response = await fetch(address + path, {
      method,
      headers: {
        cookie: cookies.join('; '),
        'x-csrf-token': csrf,
        ...(content && !isForm && { 'content-type': 'application/json' }),
      },
      ...(content && { body: isForm ? content : JSON.stringify(content) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  return { get: (path) => call('GET', path), send: call };
}
