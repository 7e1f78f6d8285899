import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from './load.ts';
import { listValues, showConfig } from './show.ts';

const cwd = '/nowhere';
const env = {
  AUTH_JWT_SECRET: 'a-secret-of-more-than-32-characters',
  SWITCHYARD__DATABASE__URL: 'postgres://me:hunter2@host/db',
  SWITCHYARD__OBSERVABILITY__METRICS__TOKEN: 'hunter2-hunter2-hunter2',
  SWITCHYARD__AUTH__TRUSTED_PROXIES: '10.0.0.1,10.0.0.2',
};

describe('config show', () => {
  it('prints only the keys that were set, unless asked for the effective values', () => {
    const loaded = loadConfig({ flags: { port: '7301' }, env: { SWITCHYARD_HOST: '::1' }, cwd });
    expect(showConfig(loaded, { effective: false, sources: true })).toBe(
      ['server:', '  host: ::1   # SWITCHYARD_HOST', '  port: 7301  # --port', ''].join('\n'),
    );
    expect(listValues(loaded, { effective: true }).length).toBeGreaterThan(30);
  });

  it('prints YAML that reads back with the same meaning', () => {
    const shown = showConfig(loadConfig({ env: {}, cwd }), { effective: true, sources: true });
    expect(parse(shown)).toMatchObject({
      version: 1,
      data_home: '/nowhere/.switchyard',
      server: {
        port: 7300,
        cors: { origins: [] },
        shutdown_grace: '25s',
        body_limit: '2MB',
        public_url: null,
      },
      run_events: { max_trace_content: '10KB', track_tokens: true },
    });
  });

  it('masks the password in the address of a worker, and so does its fault', () => {
    const workers = (SWITCHYARD__DISPATCH__WORKERS: string) => ({
      env: { SWITCHYARD__DISPATCH__WORKERS },
      cwd,
    });
    const shown = showConfig(loadConfig(workers('https://ann:hunter2@gpu.lan/comfy/,10.0.0.1:8188')), {
      effective: false,
      sources: false,
    });
    expect(parse(shown)).toEqual({
      dispatch: { workers: ['https://***@gpu.lan/comfy/', '10.0.0.1:8188'] },
    });
    expect(() => loadConfig(workers('https://ann:hunter2@gpu.lan/?a'))).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });

  it('masks every secret', () => {
    const loaded = loadConfig({ env, cwd });
    const shown = showConfig(loaded, { effective: true, sources: true });
    expect(shown).not.toMatch(/hunter2|a-secret/);
    expect(shown).toMatch(/jwt_secret: "\*\*\*" +# AUTH_JWT_SECRET/);
    expect(listValues(loaded, { effective: false })).toContainEqual({
      key: 'database.url',
      value: '***',
      source: 'SWITCHYARD__DATABASE__URL',
    });
  });

  it('prints nothing when nothing is set', () => {
    expect(showConfig(loadConfig({ env: {}, cwd }), { effective: false, sources: false })).toBe('');
  });
});
