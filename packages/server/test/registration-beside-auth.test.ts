import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startGateway } from '@switchyard/dev-env/gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, expect, it } from 'vitest';
import { customAuthFolder } from './support/custom-callers.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function gatewayIn(agentsFolder: string, registration: 'auto' | 'open') {
  const gateway = await startGateway({ agentsFolder, config: { auth: { registration } } });
  closing.push(() => gateway.stop());
  return gateway;
}

function folderWith(langgraph: string): string {
  const { path, remove } = temporaryFolder();
  closing.push(remove);
  writeFileSync(join(path, 'langgraph.json'), langgraph);
  return path;
}

it.each([
  ['has auth', () => customAuthFolder],
  ['cannot be used', () => folderWith('{')],
])('no stranger registers where langgraph.json %s, unless it is set', async (because, folder) => {
  const closed = await gatewayIn(folder(), 'auto');
  expect(closed.context.registration).toEqual({ mode: 'closed', because });
  await expect(closed.register('ada@example.com')).rejects.toThrow(/403.*registration_disabled/);
  const status = await (await closed.fetch('/api/v1/auth/setup-status')).json();
  expect(status).toMatchObject({ registration_enabled: false });

  const open = await gatewayIn(folder(), 'open');
  expect(open.context.registration).toEqual({ mode: 'open', because });
  await open.register('ada@example.com');
});

it('strangers register where langgraph.json has no auth', async () => {
  const gateway = await gatewayIn(folderWith('{ "graphs": {} }'), 'auto');
  expect(gateway.context.registration).toEqual({ mode: 'open', because: null });
  await gateway.register('ada@example.com');
});
