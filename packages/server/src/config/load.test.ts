import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, describeSource } from './faults.ts';
import { type Flags, type LoadedConfig, loadConfig } from './load.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'switchyard-config-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

interface Given {
  flags?: Flags;
  env?: Record<string, string>;
  file?: string;
}

function load({ flags = {}, env = {}, file }: Given): LoadedConfig {
  if (file !== undefined) writeFileSync(join(cwd, 'switchyard.yaml'), file);
  return loadConfig({ flags, env, cwd });
}

function faultsOf(given: Given): string[] {
  try {
    load(given);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
  return [];
}

function portAndSource({ config, sources }: LoadedConfig): [number, string] {
  return [config.server.port, describeSource(sources.get('server.port') ?? { kind: 'default' })];
}

describe('loadConfig', () => {
  it('knows the areas of the log, and names them when it does not', () => {
    const file =
      'observability: { log: { levels: { http: debug, dispach: warn, requests: info, queue: info, doors: loud } } }';
    expect(faultsOf({ file })).toEqual([
      expect.stringMatching(
        /"observability\.log\.levels\.dispach"; did you mean observability\.log\.levels\.dispatch\?$/,
      ),
      expect.stringMatching(
        /"observability\.log\.levels\.requests"; known here: http, accounts, dispatch, .*platform$/,
      ),
      expect.stringMatching(/"observability\.log\.levels\.queue"; known here: http, accounts, .*platform$/),
      expect.stringContaining('observability.log.levels.doors must be one of trace, debug, info'),
    ]);
    const env = { SWITCHYARD__OBSERVABILITY__LOG__LEVELS__AGENTS: 'trace' };
    const { levels } = load({ file: 'observability: { log: { levels: { http: debug } } }', env }).config
      .observability.log;
    expect(levels).toMatchObject({ http: 'debug', agents: 'trace', dispatch: null });
  });

  it('needs no file and no variable', () => {
    const { config, file } = load({});
    expect(file).toBeNull();
    expect(config.server).toMatchObject({ host: '127.0.0.1', port: 7300, shutdown_grace: 25_000 });
    expect(config.database).toEqual({
      backend: 'sqlite',
      sqlite_dir: join(cwd, '.switchyard/data'),
      url: null,
      pool_size: 10,
    });
    expect(config.run_events).toEqual({ backend: 'db', track_tokens: true, max_trace_content: 10_240 });
    expect(config.auth).toMatchObject({
      session_ttl: 604_800_000,
      lockout: { attempts: 5, duration: 300_000 },
    });
  });

  it('prefers flags to environment to file to defaults, and remembers the source', () => {
    const file = 'server:\n  port: 1\n';
    const env = { SWITCHYARD__SERVER__PORT: '2', SWITCHYARD_PORT: '3' };
    expect(portAndSource(load({ file, env, flags: { port: '4' } }))).toEqual([4, '--port']);
    expect(portAndSource(load({ file, env }))).toEqual([2, 'SWITCHYARD__SERVER__PORT']);
    expect(portAndSource(load({ file, env: { SWITCHYARD_PORT: '3' } }))).toEqual([3, 'SWITCHYARD_PORT']);
    expect(portAndSource(load({ file }))).toEqual([1, 'switchyard.yaml:2:9']);
    expect(portAndSource(load({ file: '' }))).toEqual([7300, 'default']);
  });

  it('reads the file that --config names, else SWITCHYARD_CONFIG, else ./switchyard.yaml', () => {
    for (const [name, port] of [
      ['a.yaml', 1],
      ['b.yaml', 2],
    ] as const) {
      writeFileSync(join(cwd, name), `server: { port: ${port} }`);
    }
    const env = { SWITCHYARD_CONFIG: 'b.yaml' };
    const file = 'server: { port: 3 }';
    expect(load({ file, env, flags: { config: 'a.yaml' } })).toMatchObject({ file: join(cwd, 'a.yaml') });
    expect(load({ file, env }).config.server.port).toBe(2);
    expect(load({ file }).config.server.port).toBe(3);
  });

  it('refuses a named file that does not exist', () => {
    expect(faultsOf({ flags: { config: 'gone.yaml' } })).toEqual([
      'gone.yaml:1:1  cannot be read: there is no such file',
    ]);
  });

  it('puts the skills under files.shared_home, which the replicas share, and keeps the database under the data home', () => {
    const file = 'files: { shared_home: /srv/shared }';
    const { config } = load({ flags: { home: '/srv/home' }, file });
    expect(config.skills.path).toBe('/srv/shared/skills');
    expect(config.database.sqlite_dir).toBe('/srv/home/data');
    expect(load({ flags: { home: '/srv/home' }, file: '' }).config.skills.path).toBe('/srv/home/skills');
  });

  it('puts the database under the data home unless sqlite_dir says otherwise, relative to the working directory', () => {
    expect(load({ flags: { home: '/srv/home' } }).config.database.sqlite_dir).toBe('/srv/home/data');
    const { database } = load({
      flags: { home: '/srv/home' },
      file: 'database: { sqlite_dir: data }',
    }).config;
    expect(database.sqlite_dir).toBe(join(cwd, 'data'));
  });

  it('reports five different faults of one file with their lines', () => {
    const file = [
      'version: 1',
      'sever: { port: 7300 }',
      'server:',
      '  port: "seven"',
      '  shutdown_grace: 1m',
      'database:',
      '  backend: postgress',
      'run_events:',
      '  track_token: true',
    ].join('\n');
    expect(faultsOf({ file })).toEqual([
      'switchyard.yaml:2:1  unknown key "sever"; did you mean server?',
      'switchyard.yaml:4:9  server.port must be a whole number from 0 to 65535, not the text "seven"',
      'switchyard.yaml:5:19  server.shutdown_grace must lie between 0s and 25s',
      'switchyard.yaml:7:12  database.backend must be one of memory, sqlite, postgres, not the text "postgress"; did you mean postgres?',
      'switchyard.yaml:9:3  unknown key "run_events.track_token"; did you mean run_events.track_tokens?',
    ]);
  });

  it('reports faults of file, environment and command line together', () => {
    const faults = faultsOf({
      file: 'server: { port: x }',
      env: { SWITCHYARD__SERVER__HOTS: 'x', SWITCHYARD_PORT: 'y' },
      flags: { port: 'z' },
    });
    expect(faults.map((fault) => fault.split('  ')[0])).toEqual([
      'switchyard.yaml:1:17',
      'SWITCHYARD__SERVER__HOTS',
      'SWITCHYARD_PORT',
      '--port',
    ]);
  });

  it('checks a value of the file even if a flag overrides it', () => {
    expect(faultsOf({ file: 'server: { port: x }', flags: { port: '0' } })).toHaveLength(1);
  });

  it('shows each bad item of a list on its own line', () => {
    const file = 'auth:\n  trusted_proxies:\n    - 10.0.0.1\n    - here\n    - 10.0.0.0/99\n';
    expect(faultsOf({ file }).map((fault) => fault.split('  ')[0])).toEqual([
      'switchyard.yaml:4:7',
      'switchyard.yaml:5:7',
    ]);
  });
});

describe('references to the environment in the file', () => {
  it('convert to the type of their key', () => {
    const { config } = load({
      file: 'server: { port: "${P}", cors: { origins: ["${O}", "${NONE:-}"] } }\nareas: { dispatch: "${D:-false}" }\n',
      env: { P: '8080', O: 'https://app.example.com' },
    });
    expect(config.server).toMatchObject({ port: 8080, cors: { origins: ['https://app.example.com'] } });
    expect(config.areas.dispatch).toBe(false);
  });

  it('mean the default when their result is empty', () => {
    const { config, sources } = load({ file: 'server: { port: "${P:-}", public_url: "${U:-}" }' });
    expect(config.server).toMatchObject({ port: 7300, public_url: null });
    expect(sources.get('server.port')).toEqual({ kind: 'default' });
  });

  it('are faults if a variable is missing, unless another layer overrides the value', () => {
    const file = 'database: { backend: postgres, url: "${DATABASE_URL:?ask the operator}" }';
    expect(faultsOf({ file })).toEqual([
      'switchyard.yaml:1:37  database.url needs the environment variable DATABASE_URL: ask the operator',
    ]);
    expect(faultsOf({ file, env: { SWITCHYARD__DATABASE__URL: 'postgres://host/db' } })).toEqual([]);
  });

  it('are not expanded in values that come from the environment itself', () => {
    const url = 'postgres://me:pa${ss}@host/db';
    expect(load({ env: { SWITCHYARD__DATABASE__URL: url } }).config.database.url).toBe(url);
  });
});

describe('rules between keys', () => {
  it.each([
    [
      'server: { host: 0.0.0.0 }\ndoors: { mcp: { oauth: { enabled: true } } }',
      'doors.mcp.oauth.enabled needs server.public_url on https: clients send tokens there; without it only a gateway on this machine alone, such as server.host 127.0.0.1, may have it',
    ],
    [
      'server: { public_url: "http://127.evil.example" }\ndoors: { mcp: { oauth: { enabled: true } } }',
      'doors.mcp.oauth.enabled needs server.public_url on https',
    ],
    ['database: { backend: postgres }', '1:22  database.url is required when database.backend is postgres'],
    [
      'server: { body_limit: 50MB }',
      '1:23  server.large_body_limit must not be smaller than server.body_limit',
    ],
    [
      'auth: { jwt_secret_file: /srv/secret, jwt_secret: 0123456789012345678901234567890x }',
      '1:26  auth.jwt_secret_file and auth.jwt_secret are both set; leave one of them',
    ],
    [
      'areas: { dispatch: false, conversation: false }',
      '1:20  areas.dispatch and areas.conversation are both off',
    ],
    [
      'cluster: { allow_replicas_without_redis: true }',
      '1:42  cluster.allow_replicas_without_redis needs database.backend postgres',
    ],
    [
      'run_events: { backend: jsonl }\ncluster: { allow_replicas_without_redis: true }\ndatabase: { backend: postgres, url: postgres://x }',
      '1:24  run_events.backend must be db when several replicas run',
    ],
    [
      'files: { store: s3, s3: { access_key_id: a, secret_access_key: b } }',
      '1:17  files.s3.bucket is required when files.store is s3',
    ],
    [
      'files: { store: s3, s3: { bucket: files, access_key_id: a } }',
      '1:17  files.s3.secret_access_key is required when files.store is s3',
    ],
    ['files: { s3: { redirect: true } }', '1:26  files.s3.redirect needs files.store s3'],
    [
      'files: { s3: { prefix: ../up } }',
      '1:24  files.s3.prefix must be letters, digits and _ . - between slashes',
    ],
    [
      'bus: { backend: redis }\nauth: { jwt_secret: 0123456789abcdef0123456789abcdef }\nfiles: { shared_home: /srv }\ndatabase: { backend: postgres, url: postgres://x }',
      '1:17  bus.url is required when bus.backend is redis',
    ],
    [
      'bus: { backend: redis, url: redis://x }\nauth: { jwt_secret: 0123456789abcdef0123456789abcdef }\nfiles: { shared_home: /srv }',
      '1:17  bus.backend is redis, for several replicas, which needs database.backend postgres; sqlite serves one process only',
    ],
    [
      'bus: { backend: redis, url: redis://x }\nfiles: { shared_home: /srv }\ndatabase: { backend: postgres, url: postgres://x }',
      '1:17  auth.jwt_secret is required when bus.backend is redis, the same for all replicas',
    ],
    [
      'bus: { backend: redis, url: redis://x }\nauth: { jwt_secret: 0123456789abcdef0123456789abcdef }\ndatabase: { backend: postgres, url: postgres://x }',
      '1:17  files.shared_home is required when bus.backend is redis: a directory that all replicas see',
    ],
    [
      'run_events: { backend: memory }\nbus: { backend: redis, url: redis://x }\nauth: { jwt_secret: 0123456789abcdef0123456789abcdef }\nfiles: { shared_home: /srv }\ndatabase: { backend: postgres, url: postgres://x }',
      '1:24  run_events.backend must be db when several replicas run',
    ],
    ['sandbox: { allow_host_bash: true }', '1:29  sandbox.allow_host_bash must be false'],
    ['uploads: { auto_convert_documents: true }', '1:36  uploads.auto_convert_documents must be false'],
    [
      'uploads: { max_file_size: 200MB }',
      '1:27  uploads.max_total_size must not be smaller than uploads.max_file_size',
    ],
  ])('refuse %s', (file, message) => {
    expect(faultsOf({ file })).toEqual([expect.stringContaining(message)]);
  });

  it('allow each area to be switched off alone', () => {
    expect(load({ file: 'areas: { dispatch: false }' }).config.areas.conversation).toBe(true);
    expect(load({ file: 'areas: { conversation: false }' }).config.areas.dispatch).toBe(true);
  });

  it('are not applied to a key that already has a fault', () => {
    expect(faultsOf({ file: 'database: { backend: postgres, url: 5 }' })).toEqual([
      'switchyard.yaml:1:37  database.url must be text',
    ]);
  });
});
