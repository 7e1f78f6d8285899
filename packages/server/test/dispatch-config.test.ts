import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { answerJson, type ScriptedServer, startScriptedServer } from '@switchyard/dev-env/scripted-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';

const healthCheck = { interval: 30 };

describe('the configuration', () => {
  let pool: DispatchPool;

  beforeEach(async () => {
    pool = await startPool({ workers: [] });
  });

  afterEach(() => pool.close());

  const put = (body: object, headers: Record<string, string> = {}) =>
    pool.admin.request('PUT', '/api/config', { body, headers });
  const server = (id: string, instances: object[], rest: object = {}) => ({
    id,
    name: id.toUpperCase(),
    kind: 'comfyui',
    instances,
    ...rest,
  });

  it('is returned as it was put, with a version that counts the changes', async () => {
    const before = await pool.admin.request('GET', '/api/config');
    expect(before.body.data).toMatchObject({
      servers: [{ id: 'test', instances: [] }],
      healthCheck: { interval: 1, timeout: 2, failures: 2 },
    });
    const { version } = before.body.data;
    expect(before.headers.get('etag')).toBe(`"${version}"`);
    const servers = [
      server('a', [{ ip: '127.0.0.1', port: 9, weight: 2, enabled: false }], { tags: ['gpu'], tls: true }),
      server('b', [{ ip: 'worker.example', port: 8188, weight: 1 }], { kind: 'reference' }),
      server('c', [{ ip: '::1', port: 8188, weight: 1 }]),
    ];
    const answer = await put({ servers, healthCheck: { interval: 30, timeout: 1, failures: 3 } });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      servers,
      healthCheck: { interval: 30, timeout: 1, failures: 3, capabilitiesInterval: 60 },
      version: version + 1,
    });
    expect((await pool.admin.request('GET', '/api/config')).body.data).toEqual(answer.body.data);
    const instances = (await pool.user.call('GET', '/api/instances')).data;
    expect(
      instances.map(({ id, serverName }: { id: string; serverName: string }) => [id, serverName]),
    ).toEqual([
      ['127.0.0.1:9', 'A'],
      ['worker.example:8188', 'B'],
      ['[::1]:8188', 'C'],
    ]);
  });

  it('can be put back as it was read', async () => {
    await put({ servers: [server('a', [{ ip: '127.0.0.1', port: 9 }])], healthCheck });
    const { data } = await pool.admin.call('GET', '/api/config');
    const answer = await put(data);
    expect(answer.body.data).toEqual({ ...data, version: data.version + 1 });
  });

  it('is refused with all faults at once, and nothing changes', async () => {
    const before = (await pool.admin.call('GET', '/api/config')).data;
    const answer = await put({
      servers: [
        server('a', [
          { ip: '127.0.0.1', port: 8188 },
          { ip: '127.0.0.1', port: 8188 },
          { ip: '169.254.169.254', port: 80 },
        ]),
        server('a', [{ ip: 'metadata.google.internal', port: 80 }]),
        server('built-in', [{ ip: '0x7f.1', port: 80 }], { headers: { Authorization: '***' } }),
        server('d', [{ ip: 'http://worker', port: 80 }]),
      ],
      healthCheck,
    });
    expect(answer.status).toBe(422);
    expect(answer.body.error).toBe('validation_failed');
    expect(answer.body.details.map(({ path }: { path: string }) => path).sort()).toEqual([
      'body.servers.0.instances.1',
      'body.servers.0.instances.2.ip',
      'body.servers.1.id',
      'body.servers.1.instances.0.ip',
      'body.servers.2.headers.Authorization',
      'body.servers.2.id',
      'body.servers.2.instances.0.ip',
      'body.servers.3.instances.0.ip',
    ]);
    expect((await pool.admin.call('GET', '/api/config')).data).toEqual(before);
  });

  it('is refused with faults of its shape together with those that need a closer look', async () => {
    const answer = await put({
      servers: [
        server('a', [
          { ip: '127.0.0.1', port: 8188 },
          { ip: '127.0.0.1', port: 8188 },
          { ip: 'bad host', port: 65_536 },
          { ip: '', port: 80 },
          ['127.0.0.1', 8188],
        ]),
        server('a', [], { kind: 'other', headers: { Authorization: '***' } }),
        { id: 7 },
      ],
      healthCheck: { interval: 0 },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.details.map(({ path }: { path: string }) => path).sort()).toEqual([
      'body.healthCheck.interval',
      'body.servers.0.instances.1',
      'body.servers.0.instances.2.ip',
      'body.servers.0.instances.2.port',
      'body.servers.0.instances.3.ip',
      'body.servers.0.instances.4',
      'body.servers.1.headers.Authorization',
      'body.servers.1.id',
      'body.servers.1.kind',
      'body.servers.2.id',
      'body.servers.2.instances',
      'body.servers.2.kind',
      'body.servers.2.name',
    ]);
  });

  it.each([
    { interval: 0 },
    { interval: 0.5 },
    { interval: 86_401 },
    { interval: 2_147_483_648 },
    { interval: '30' },
    { interval: null },
    {},
    { interval: 30, timeout: 0 },
    { interval: 30, failures: 0 },
    { interval: 30, other: 1 },
  ])('refuses a health check of %j', async (wrong) => {
    const answer = await put({ servers: [], healthCheck: wrong });
    expect(answer.status).toBe(422);
    expect(answer.body.details[0].path).toMatch(/^body\.healthCheck/);
  });

  it.each([
    { ip: '127.0.0.1', port: 0 },
    { ip: '127.0.0.1', port: 65_536 },
    { ip: '127.0.0.1', port: '8188' },
    { ip: '', port: 8188 },
    { ip: '127.0.0.1' },
    { ip: '127.0.0.1', port: 8188, weight: -1 },
    { ip: '127.0.0.1', port: 8188, enabled: 'yes' },
    { ip: '127.0.0.1', port: 8188, colour: 'red' },
  ])('refuses an instance of %j', async (wrong) => {
    expect((await put({ servers: [server('a', [wrong])], healthCheck })).status).toBe(422);
  });

  it('masks secret headers, and keeps the value of one that comes back masked', async () => {
    const seen: (string | undefined)[] = [];
    const worker = await startScriptedServer((request, response) => {
      seen.push(request.headers.authorization);
      answerJson(response, {}, 404);
    });
    try {
      const instances = [{ ip: '127.0.0.1', port: worker.port }];
      const headers = { Authorization: 'Bearer first', 'X-Team': 'blue' };
      const answer = await put({ servers: [server('a', instances, { headers })], healthCheck });
      expect(answer.body.data.servers[0].headers).toEqual({ Authorization: '***', 'X-Team': '***' });
      const { data } = await pool.admin.call('GET', '/api/config');
      expect(JSON.stringify(data)).not.toContain('first');
      await until(worker, seen, 'Bearer first');

      const again = await put(data);
      expect(again.status).toBe(200);
      await until(worker, seen, 'Bearer first');

      data.servers[0].headers = { Authorization: 'Bearer second', 'X-Team': '***' };
      await put(data);
      await until(worker, seen, 'Bearer second');
    } finally {
      await worker.close();
    }
  });

  it('sends the headers of a server that got another id', async () => {
    const seen: (string | undefined)[] = [];
    const worker = await startScriptedServer((request, response) => {
      seen.push(request.headers.authorization);
      answerJson(response, {}, 404);
    });
    try {
      const instances = [{ ip: '127.0.0.1', port: worker.port }];
      const headers = { Authorization: 'Bearer key' };
      await put({ servers: [server('a', instances, { headers })], healthCheck });
      await until(worker, seen, 'Bearer key');
      await put({
        servers: [server('b', instances, { headers: { Authorization: 'Bearer other' } })],
        healthCheck,
      });
      await until(worker, seen, 'Bearer other');
      expect(seen).not.toContain(undefined);
    } finally {
      await worker.close();
    }
  });

  it.each(['::1', '[::1]'])('reaches a worker at the address %s', async (ip) => {
    const worker = await FakeWorker.start({ host: '::1' });
    pool.workers.push(worker);
    await put({ servers: [server('a', [{ ip, port: worker.port }])], healthCheck });
    const id = `[::1]:${worker.port}`;
    const { data } = await pool.admin.until(
      () => pool.admin.call('POST', `/api/instances/${encodeURIComponent(id)}/test`),
      (answer) => answer.code === 200,
    );
    expect(data).toMatchObject({ ok: true, instance: { id, alive: true } });
    const task = await pool.user.submit({ workflow: anyWorkflow });
    expect(await pool.user.ended(task.id)).toMatchObject({ status: 'completed', instanceId: id });
    expect(worker.clientIds).toHaveLength(1);
  });

  describe('with a secret header that comes back masked', () => {
    const [first, second] = [
      { ip: '127.0.0.1', port: 9 },
      { ip: '127.0.0.1', port: 19 },
    ];
    const headers = { Authorization: 'Bearer secret' };
    const masked = { Authorization: '***' };
    const valueNow = () => pool.gateway.context.dispatch?.configuration.current.servers[0]?.headers;

    it.each([
      ['another port', server('a', [second], { headers: masked }), '127.0.0.1:19 is a new address'],
      ['another host', server('a', [{ ip: '127.0.0.2', port: 9 }], { headers: masked }), '127.0.0.2:9 is'],
      [
        'one more address',
        server('a', [first, second], { headers: masked }),
        '127.0.0.1:19 is a new address',
      ],
      ['another id', server('b', [first], { headers: masked }), 'There is no stored value'],
      ['TLS', server('a', [first], { headers: masked, tls: true }), 'the TLS of this server is another'],
    ])('asks for the value again for %s', async (_what, changed, why) => {
      await put({ servers: [server('a', [first], { headers })], healthCheck });
      const { version } = (await pool.admin.call('GET', '/api/config')).data;
      const answer = await put({ servers: [changed], healthCheck });
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body)).toContain('body.servers.0.headers.Authorization');
      expect(JSON.stringify(answer.body)).toContain(why);
      expect(JSON.stringify(answer.body)).toContain('Send the value');
      expect((await pool.admin.call('GET', '/api/config')).data.version).toBe(version);
      const given = { ...changed, headers: { Authorization: 'Bearer new' } };
      expect((await put({ servers: [given], healthCheck })).status).toBe(200);
      expect(valueNow()).toEqual({ Authorization: 'Bearer new' });
    });

    it('keeps the value when an address is removed, and when only other things change', async () => {
      await put({ servers: [server('a', [first, second], { headers })], healthCheck });
      const changed = server('a', [{ ...second, weight: 3 }], {
        headers: masked,
        name: 'B',
        tags: ['x'],
        tls: false,
      });
      expect((await put({ servers: [changed], healthCheck })).status).toBe(200);
      expect(valueNow()).toEqual(headers);
    });
  });

  it('is protected by If-Match', async () => {
    const { version } = (await pool.admin.call('GET', '/api/config')).data;
    const first = await put({ servers: [], healthCheck }, { 'if-match': `"${version}"` });
    expect(first).toMatchObject({ status: 200, body: { data: { version: version + 1 } } });
    const late = await put({ servers: [], healthCheck }, { 'if-match': `"${version}"` });
    expect(late).toMatchObject({ status: 412, body: { code: 412, error: 'config_version_mismatch' } });
    expect((await put({ servers: [], healthCheck }, { 'if-match': '*' })).status).toBe(200);
    expect((await put({ servers: [], healthCheck }, { 'if-match': 'nonsense' })).status).toBe(412);
  });

  it('takes simultaneous changes one after the other when they name no version', async () => {
    const { version } = (await pool.admin.call('GET', '/api/config')).data;
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => put({ servers: [], healthCheck: { interval: index + 1 } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect((await pool.admin.call('GET', '/api/config')).data.version).toBe(version + 8);
  });

  it('gets the result of a probe of a wrong address', async () => {
    await put({ servers: [server('a', [{ ip: '127.0.0.1', port: 9 }])], healthCheck });
    const answer = await pool.admin.request('POST', '/api/instances/127.0.0.1:9/test');
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      ok: false,
      cause: 'refused',
      message: expect.stringContaining('127.0.0.1:9'),
      instance: { id: '127.0.0.1:9', alive: false, state: 'unreachable' },
    });
  });
});

async function until(worker: ScriptedServer, seen: (string | undefined)[], value: string): Promise<void> {
  seen.length = 0;
  while (!seen.includes(value)) await worker.next();
}
