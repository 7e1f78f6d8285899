import { createClient } from '@switchyard/client/client';
import { getFileRecipe } from '@switchyard/contract/dispatch/recipe';
import { replaceSettings } from '@switchyard/contract/dispatch/settings';
import { getTask, submitTask } from '@switchyard/contract/dispatch/tasks';
import { startGateway } from '@switchyard/dev-env/gateway';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { expect, it, onTestFinished } from 'vitest';
import { howMade } from './files-recipe.ts';
import type { Terminal } from './terminal.ts';
import { verifyFile } from './verify-file.ts';

const graphOf = (color: number) => ({
  a: {
    class_type: 'EmptyImage',
    inputs: { width: 8, height: 8, batch_size: 1, color },
    _meta: { title: 'Canvas' },
  },
  b: { class_type: 'SaveImage', inputs: { images: ['a', 0], filename_prefix: 'x' } },
});

it('a file is only made again where the worker does not have the results any more', async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.stop());
  const worker = await startReferenceWorker();
  onTestFinished(() => worker.close());
  const account = { email: 'admin@example.com', password: 'correct horse battery' };
  await gateway.fetch('/api/v1/auth/initialize', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  });
  const session = await HttpSession.login(gateway.url, account);
  const scopes = ['dispatch:read', 'dispatch:write', 'admin'];
  const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', { name: 'cli', scopes });
  const client = createClient({ baseUrl: gateway.url, token });
  const instances = [{ ip: '127.0.0.1', port: worker.port }];
  await client.call(replaceSettings, {
    body: {
      servers: [{ id: 'box', name: 'Box', kind: 'comfyui', instances }],
      healthCheck: { interval: 1 },
    },
  });
  const run = async (color: number) => {
    const { id: taskId } = await client.call(submitTask, { body: { workflow: graphOf(color) } });
    for (;;) {
      const task = await client.call(getTask, { params: { taskId }, query: { wait: 20 } });
      if (task.status === 'completed') return task.result?.outputs[0]?.fileId ?? '';
    }
  };
  const fileId = await run(1);
  const recipe = await client.call(getFileRecipe, { params: { fileId } });
  const silent = { write: () => true };
  const terminal = { env: {}, cwd: '/', stdin: process.stdin, stdout: silent, stderr: silent } as Terminal;
  const verify = () => verifyFile(recipe, { client, terminal, signal: new AbortController().signal });

  const soon = await verify();
  expect(soon).toMatchObject({ verdict: 'same_bytes', nodes: 2, cached: ['Canvas'] });
  expect(howMade(soon)).toMatch(
    /^same bytes, but Box \(.+\) still had the results of 1 of 2 nodes .+: Canvas\./,
  );
  await run(2);
  const later = await verify();
  expect(later).toMatchObject({ verdict: 'same_bytes', cached: [] });
  expect(howMade(later)).toMatch(/^same bytes, made again on Box/);
});
