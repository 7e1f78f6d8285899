import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binary } from '@switchyard/dev-env/binary';
import { type FakeOpenAi, startFakeOpenAi } from '@switchyard/dev-env/fake-openai';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConversationCaller } from '../../packages/server/test/support/conversation-caller.ts';
import { DispatchCaller } from '../../packages/server/test/support/dispatch-caller.ts';
import { anyWorkflow } from '../../packages/server/test/support/dispatch-pool.ts';

/**
 * The system calls of the gateway and of its child processes, which no library and no native code can get around: a question for a
 * name is one as well. A network of its own would need rights that most machines refuse, and what Node tells of its sockets leaves
 * out the resolver.
 */
describe('the connections that a gateway opens', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let worker: FakeWorker;
  let provider: FakeOpenAi;
  let gateway: SpawnedGateway | undefined;

  beforeEach(async () => {
    folder = temporaryFolder();
    worker = await FakeWorker.start({ outputBytes: 64 });
    provider = await startFakeOpenAi(() => ({ text: 'Hello.' }));
  });
  afterEach(async () => {
    await gateway?.stop();
    await provider.close();
    await worker.close();
    folder.remove();
  });

  const trace = () => join(folder.path, 'calls');

  /** Starts a gateway and lets it do something of each area, then stops it. */
  async function work(settings: string): Promise<void> {
    writeFileSync(join(folder.path, 'switchyard.yaml'), `version: 1\n${settings}`);
    const calls = ['-e', 'trace=connect,sendto,sendmsg,sendmmsg'];
    // -D: the traced process keeps the place of the one that was started.
    const strace = ['strace', '-D', '-f', '-q', ...calls, '-o', trace()];
    gateway = await SpawnedGateway.start({
      home: folder.path,
      command: [...strace, process.execPath, binary],
    });
    const account = { email: 'ada@example.com', password: 'correct horse battery' };
    const session = await HttpSession.register(gateway.url, account);
    const ada = await ConversationCaller.of(gateway.url, session);
    await ada.post(`/threads/${await ada.thread()}/runs/wait`, {
      assistant_id: 'lead_agent',
      input: { messages: [{ type: 'human', content: 'Hello' }] },
    });
    const user = await DispatchCaller.register(gateway.url, 'bob@example.com');
    await user.ended((await user.submit({ workflow: anyWorkflow })).id);
    await gateway.stop();
    gateway = undefined;
  }

  /** Returns where connections and packets went, as `address:port`. */
  function destinations(): Set<string> {
    const found = readFileSync(trace(), 'utf8').matchAll(
      /sa_family=AF_INET6?, sin6?_port=htons\((\d+)\).*?(?:inet_addr\(|AF_INET6, )"([^"]+)"/g,
    );
    return new Set([...found].map(([, port, address]) => `${address}:${port}`));
  }

  const modelAt = (address: string) =>
    `models: [{ name: fake, model: fake-1, base_url: "${address}", api_key: sk-x }]\n`;

  it('stay on the machine while nothing is configured, and no name is asked for', async () => {
    await work('');
    const places = [...destinations()];
    expect(places.length).toBeGreaterThan(0); // the built-in worker
    expect(places.filter((place) => !place.startsWith('127.0.0.1:') || place.endsWith(':53'))).toEqual([]);
  });

  it('are those to the workers and models that are configured, and no name is asked for', async () => {
    await work(`dispatch: { workers: ["127.0.0.1:${worker.port}"] }\n${modelAt(provider.url)}`);
    const expected = [`127.0.0.1:${worker.port}`, new URL(provider.url).host];
    expect([...destinations()].sort()).toEqual(expected.sort());
  });

  it('are seen, the question for a name included', async () => {
    await work(modelAt('http://models.invalid/v1'));
    expect([...destinations()].some((place) => place.endsWith(':53'))).toBe(true);
  });
});
