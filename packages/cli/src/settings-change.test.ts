import { ApiError } from '@switchyard/client/errors';
import type { Settings } from '@switchyard/contract/dispatch/settings';
import { describe, expect, it, vi } from 'vitest';
import { changeSettings, type NewInstance, withInstance, withoutInstance } from './settings-change.ts';

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

const added = (ip: string, port: number, changes: Partial<NewInstance> = {}): NewInstance => ({
  address: { ip, port, tls: false },
  serverId: undefined,
  server: {},
  weight: undefined,
  ...changes,
});

describe('adding an instance', () => {
  it('makes a server for a new host, with the given settings', () => {
    const { servers } = withInstance(
      settings,
      added('gpu.lan', 8188, {
        server: { tags: ['large'] },
        weight: 2,
        address: { ip: 'gpu.lan', port: 443, tls: true },
      }),
    );
    expect(servers.at(-1)).toEqual({
      id: 'gpu.lan',
      name: 'gpu.lan',
      kind: 'comfyui',
      tls: true,
      tags: ['large'],
      instances: [{ ip: 'gpu.lan', port: 443, weight: 2 }],
    });
    expect(servers.slice(0, -1)).toEqual(settings.servers);
  });

  it('adds to the server of its host without changing that server', () => {
    const headers = { Authorization: 'Bearer secret' };
    const { servers } = withInstance(settings, added('192.168.1.20', 8189, { server: { headers } }));
    expect(servers[0]).toEqual({
      ...settings.servers[0],
      headers,
      instances: [
        { ip: '192.168.1.20', port: 8188 },
        { ip: '192.168.1.20', port: 8189 },
      ],
    });
  });

  it('adds to the server that was named', () => {
    const { servers } = withInstance(settings, added('gpu.lan', 8188, { serverId: 'later' }));
    expect(servers.map(({ instances }) => instances.length)).toEqual([1, 1]);
  });

  it('gives a new server the requested id, or the given name', () => {
    const nameOf = (changes: Partial<NewInstance>) =>
      withInstance(settings, added('gpu.lan', 8188, changes)).servers.at(-1)?.name;
    expect(nameOf({ serverId: 'big' })).toBe('big');
    expect(nameOf({ serverId: 'big', server: { name: 'The big one' } })).toBe('The big one');
    expect(nameOf({})).toBe('gpu.lan');
  });

  it('names the server of an IPv6 host with characters that an id may contain', () => {
    const { servers } = withInstance(settings, added('::1', 8188));
    expect(servers.at(-1)?.id).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);
  });

  it('asks for the secret headers of its server again, because a new address must not get them unnoticed', () => {
    const change = () => withInstance(settings, added('192.168.1.20', 8189));
    expect(change).toThrow('Add --header "authorization: …"');
  });

  it('is refused for an instance that exists already', () => {
    expect(() => withInstance(settings, added('192.168.1.20', 8188))).toThrow(
      '192.168.1.20:8188 is there already.',
    );
  });

  it('is refused when it would change an existing server', () => {
    const change = () => withInstance(settings, added('192.168.1.20', 8189, { server: { tags: ['x'] } }));
    expect(change).toThrow('The server 192.168.1.20 exists');
    const withTls = added('192.168.1.20', 8189, { address: { ip: '192.168.1.20', port: 8189, tls: true } });
    expect(() => withInstance(settings, withTls)).toThrow('The server 192.168.1.20 exists');
  });
});

describe('removing an instance', () => {
  it('removes its server when that has no other instance, and keeps the other servers', () => {
    expect(withoutInstance(settings, '192.168.1.20:8188').servers.map(({ id }) => id)).toEqual(['later']);
  });

  it('keeps the other instances of its server', () => {
    const headers = { authorization: 'Bearer secret' };
    const two = withInstance(settings, added('192.168.1.20', 8189, { server: { headers } }));
    expect(withoutInstance(two, '192.168.1.20:8188').servers[0]?.instances).toEqual([
      { ip: '192.168.1.20', port: 8189 },
    ]);
  });

  it('is refused for an instance that is not in the configuration', () => {
    expect(() => withoutInstance(settings, '127.0.0.1:8199')).toThrow('has no instance 127.0.0.1:8199');
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
    const change = changeSettings({ call }, (before) => withoutInstance(before, 'nobody:1'));
    await expect(change).rejects.toThrow('has no instance');
    expect(sent).toEqual([]);
  });
});
