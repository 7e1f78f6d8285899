import { describe, expect, it } from 'vitest';
import { readEnvironment } from './env.ts';

describe('reading the environment', () => {
  it('knows every key by its long name and some keys by a short name too', () => {
    const { entries, faults } = readEnvironment({
      SWITCHYARD__DATABASE__POOL_SIZE: '5',
      AUTH_TRUSTED_PROXIES: '10.0.0.1',
      SWITCHYARD_HOME: '/srv',
      SWITCHYARD_TOKEN: 'not a key',
      PATH: '/bin',
    });
    expect(faults).toEqual([]);
    expect(entries.map(({ key, data }) => [key, data])).toEqual([
      ['database.pool_size', '5'],
      ['data_home', '/srv'],
      ['auth.trusted_proxies', '10.0.0.1'],
    ]);
  });

  it('prefers the long name to the short one', () => {
    const { entries } = readEnvironment({ SWITCHYARD_PORT: '1', SWITCHYARD__SERVER__PORT: '2' });
    expect(entries.map(({ data }) => data)).toEqual(['2', '1']);
  });

  it('reads the names of proxies in both cases, the lower one first', () => {
    const { entries } = readEnvironment({
      HTTPS_PROXY: 'a',
      https_proxy: 'b',
      http_proxy: '',
      HTTP_PROXY: 'c',
    });
    expect(entries.map(({ key, data }) => [key, data])).toEqual([
      ['outbound.https_proxy', 'b'],
      ['outbound.http_proxy', 'c'],
    ]);
  });

  it('treats an empty variable as unset', () => {
    expect(readEnvironment({ SWITCHYARD_PORT: '', SWITCHYARD__AREAS__DISPATCH: '' }).entries).toEqual([]);
  });

  it.each([
    ['SWITCHYARD__SERVER__PROT', 'did you mean SWITCHYARD__SERVER__PORT?'],
    ['SWITCHYARD__PORT', 'did you mean SWITCHYARD__SERVER__PORT?'],
    ['SWITCHYARD__SERVER__PORT__X', 'unknown key "server.port.x"'],
    ['SWITCHYARD__SERVER', 'is a section; set its keys one by one, for example SWITCHYARD__SERVER__HOST'],
    ['SWITCHYARD__', 'unknown key ""'],
  ])('refuses %s', (name, message) => {
    const { faults } = readEnvironment({ [name]: 'x' });
    expect(faults).toMatchObject([
      { source: { kind: 'env', name }, message: expect.stringContaining(message) },
    ]);
  });
});
