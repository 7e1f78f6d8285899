import type { Settings } from '@switchyard/contract/dispatch/settings';
import { parseWorkerAddress } from '@switchyard/contract/dispatch/worker-address';
import { describe, expect, it, vi } from 'vitest';
import { ApiError } from './errors.ts';
import {
  changeSettings,
  type NewInstance,
  refusalOf,
  withInstance,
  withoutInstance,
} from './settings-change.ts';

const settings: Settings = {
  servers: [
    {
      id: '192.168.1.20',
      name: 'Box',
      kind: 'comfyui',
      headers: { authorization: '***' },
      instances: [{ ip: '192.168.1.20', port: 8188 }],
    },
    { id: 'later', name: 'Bought, not delivered', kind: 'comfyui', instances: [] },
  ],
  healthCheck: { interval: 5 },
  version: 7,
};

const added = (text: string, changes: Partial<NewInstance> = {}): NewInstance => {
  const address = parseWorkerAddress(text);
  if (!address) throw new Error(`${text} is no address`);
  return { address, server: {}, ...changes };
};
const newest = (given: NewInstance, before = settings) => withInstance(before, given).servers.at(-1);

describe('adding an instance', () => {
  it('makes a server for it, with the given settings, and keeps the others', () => {
    const given = added('https://ann:secret@gpu.lan/comfy/', { server: { tags: ['large'] }, weight: 2 });
    const { servers } = withInstance(settings, given);
    expect(servers.at(-1)).toEqual({
      id: 'gpu.lan',
      name: 'gpu.lan',
      kind: 'comfyui',
      tls: true,
      basePath: '/comfy',
      tags: ['large'],
      headers: { Authorization: 'Basic YW5uOnNlY3JldA==' },
      instances: [{ ip: 'gpu.lan', port: 443, weight: 2 }],
    });
    expect(servers.slice(0, -1)).toEqual(settings.servers);
  });

  it('trusts any certificate where that was asked for', () => {
    expect(newest(added('https://gpu.lan', { anyCertificate: true }))?.tls).toEqual({ verify: false });
  });

  it('sends the given header and not the password of the address when both are there', () => {
    const server = { headers: { authorization: 'Bearer abc' } };
    expect(newest(added('http://ann:secret@gpu.lan', { server }))?.headers).toEqual(server.headers);
  });

  it('gives a second box on one host a name and an id of its own', () => {
    const one = withInstance(settings, added('10.0.0.9:8188'));
    const two = withInstance(one, added('10.0.0.9:8189'));
    const three = withInstance(two, added('10.0.0.9:8190'));
    expect(three.servers.slice(-3).map(({ id, name }) => [id, name])).toEqual([
      ['10.0.0.9', '10.0.0.9'],
      ['10.0.0.9-8189', '10.0.0.9:8189'],
      ['10.0.0.9-8190', '10.0.0.9:8190'],
    ]);
  });

  it('adds to the server that was named without changing that server', () => {
    const headers = { Authorization: 'Bearer secret' };
    const given = added('192.168.1.20:8189', { serverId: '192.168.1.20', server: { headers } });
    expect(refusalOf(settings, given)).toBeNull();
    expect(withInstance(settings, given).servers[0]).toEqual({
      ...settings.servers[0],
      headers,
      instances: [
        { ip: '192.168.1.20', port: 8188 },
        { ip: '192.168.1.20', port: 8189 },
      ],
    });
  });

  it('gives a new server the requested id, or the given name', () => {
    expect(newest(added('gpu.lan', { serverId: 'big' }))).toMatchObject({ id: 'big', name: 'big' });
    const named = added('gpu.lan', { server: { name: 'Müllers Kiste!' } });
    expect(newest(named)).toMatchObject({ id: 'M-llers-Kiste-', name: 'Müllers Kiste!' });
    expect(newest(named, withInstance(settings, named))?.id).toBe('M-llers-Kiste--2');
  });

  it('names the server of an IPv6 host with characters that an id may contain', () => {
    expect(newest(added('[::1]:8188'))?.id).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);
  });

  it('asks for the secret headers of its server again, because a new address must not get them unnoticed', () => {
    const given = added('192.168.1.20:8189', { serverId: '192.168.1.20' });
    expect(refusalOf(settings, given)).toEqual({
      why: 'headers_needed',
      serverId: '192.168.1.20',
      names: ['authorization'],
    });
  });

  it('is refused for an address that is there already, and says when that has another path', () => {
    expect(refusalOf(settings, added('192.168.1.20:8188'))).toEqual({
      why: 'there',
      instanceId: '192.168.1.20:8188',
    });
    expect(refusalOf(settings, added('192.168.1.20:8188/b/'))).toEqual({
      why: 'other_path',
      instanceId: '192.168.1.20:8188',
      path: '/',
    });
  });

  it.each([
    ['192.168.1.20:8189', { server: { tags: ['x'] } }],
    ['https://192.168.1.20:8189', {}],
    ['192.168.1.20:8189/b', {}],
  ])('is refused when %s would change the named server', (text, changes) => {
    const given = added(text, { serverId: '192.168.1.20', ...changes });
    expect(refusalOf(settings, given)).toEqual({ why: 'server_differs', serverId: '192.168.1.20' });
  });
});

describe('removing an instance', () => {
  it('removes its server when that has no other instance, and keeps the other servers', () => {
    expect(withoutInstance(settings, '192.168.1.20:8188').servers.map(({ id }) => id)).toEqual(['later']);
  });

  it('keeps the other instances of its server', () => {
    const two = withInstance(settings, added('192.168.1.20:8189', { serverId: '192.168.1.20' }));
    expect(withoutInstance(two, '192.168.1.20:8188').servers[0]?.instances).toEqual([
      { ip: '192.168.1.20', port: 8189 },
    ]);
  });
});

describe('a change', () => {
  const mismatch = new ApiError({ status: 412, code: 'config_version_mismatch', message: 'Changed.' });

  function gateway(refusals: number) {
    let version = 7;
    let left = refusals;
    const sent: unknown[] = [];
    const call = vi.fn(
      async (endpoint: { method: string }, input?: { headers?: unknown; body?: Settings }) => {
        if (endpoint.method === 'GET') return { ...settings, version };
        sent.push(input?.headers);
        if (left-- > 0) {
          version += 1;
          throw mismatch;
        }
        return input?.body;
      },
    );
    return { sent, call: call as unknown as Parameters<typeof changeSettings>[0]['call'] };
  }

  it('is made to the version that was read, and made again when someone else has written first', async () => {
    const { sent, call } = gateway(1);
    await changeSettings({ call }, (before) => before);
    expect(sent).toEqual([{ 'if-match': '"7"' }, { 'if-match': '"8"' }]);
  });

  it('is given up after three times', async () => {
    const { sent, call } = gateway(99);
    await expect(changeSettings({ call }, (before) => before)).rejects.toBe(mismatch);
    expect(sent).toHaveLength(3);
  });

  it('that fails its own checks is not sent', async () => {
    const { sent, call } = gateway(0);
    const change = changeSettings({ call }, () => {
      throw new Error('Refused.');
    });
    await expect(change).rejects.toThrow('Refused.');
    expect(sent).toEqual([]);
  });
});
