import { describe, expect, it } from 'vitest';
import { fields } from './keys.ts';
import { readValue } from './value.ts';

function read(key: string, data: unknown, isText = false): unknown {
  const field = fields.get(key);
  if (!field) throw new Error(`no such key: ${key}`);
  return readValue(field, { data, isText }, '/work-dir');
}

describe('values from the file', () => {
  it.each([
    ['server.port', 0, 0],
    ['server.port', 65_535, 65_535],
    ['server.shutdown_grace', '10s', 10_000],
    ['run_events.max_trace_content', 10_240, 10_240],
    ['run_events.max_trace_content', '10KB', 10_240],
    ['memory.fact_confidence_threshold', 0.5, 0.5],
    ['memory.fact_confidence_threshold', 1, 1],
    ['run_events.track_tokens', false, false],
    ['database.backend', 'postgres', 'postgres'],
    ['data_home', 'home', '/work-dir/home'],
    ['data_home', '/home', '/home'],
    ['auth.trusted_proxies', ['10.0.0.1', ' ::1/64 ', ''], ['10.0.0.1', '::1/64']],
    ['auth.admin_email', 'Boss@Example.com', 'boss@example.com'],
    ['server.public_url', 'https://gate.example.com/', 'https://gate.example.com'],
    ['server.host', '::', '::'],
    ['database.url', 'postgresql:///db?host=/run/pg', 'postgresql:///db?host=/run/pg'],
    ['agents', ['research=./src/research.ts:graph'], ['research=./src/research.ts:graph']],
    ['ui.environment.name', 'Staging 2 ', 'Staging 2'],
    ['ui.environment.name', '测试环境', '测试环境'],
  ])('%s takes %j', (key, data, expected) => {
    expect(read(key, data)).toEqual(expected);
  });

  it.each([
    ['server.port', '7300', 'must be a whole number from 0 to 65535, not the text "7300"'],
    ['server.port', 7300.5, 'not 7300.5'],
    ['server.port', 65_536, 'from 0 to 65535'],
    ['memory.fact_confidence_threshold', 1.5, 'must be a number from 0 to 1, not 1.5'],
    ['memory.fact_confidence_threshold', '0.5', 'must be a number from 0 to 1, not the text "0.5"'],
    ['memory.debounce_seconds', 0, 'from 1 to 300'],
    ['server.port', -1, 'from 0 to 65535'],
    ['server.port', [7300], 'not a list'],
    ['server.host', 127, 'must be text, not 127'],
    ['server.host', 'http://x', 'without scheme or port'],
    ['server.host', { a: 1 }, 'not a section with keys'],
    ['server.shutdown_grace', '26s', 'must lie between 0s and 25s'],
    ['server.shutdown_grace', 25, '"25" is not a duration'],
    ['server.shutdown_grace', true, 'must be text'],
    ['auth.session_ttl', '23h', 'must lie between 1d and 30d'],
    ['auth.session_ttl', '31d', 'must lie between 1d and 30d'],
    ['server.body_limit', '1.5MB', 'is not a size'],
    ['run_events.track_tokens', 'yes', 'must be true or false, not the text "yes"'],
    ['run_events.track_tokens', 1, 'must be true or false, not 1'],
    [
      'database.backend',
      'sqllite',
      'must be one of memory, sqlite, postgres, not the text "sqllite"; did you mean sqlite?',
    ],
    ['ui.environment.name', 'a'.repeat(21), 'must be up to 20 letters'],
    ['ui.environment.name', ' ', 'must be up to 20 letters'],
    ['ui.environment.name', '<b>', 'must be up to 20 letters'],
    ['ui.environment.color', 'purple', 'must be one of grey, blue, green, amber, red, violet'],
    ['version', 2, 'must be 1, not 2'],
    ['version', '1', 'must be 1'],
    ['auth.trusted_proxies', '10.0.0.1', 'must be a list, written ["one", "two"], not the text "10.0.0.1"'],
    ['auth.trusted_proxies', Array(101).fill('10.0.0.1'), 'has 101 entries; 100 are the limit'],
    ['auth.admin_email', 'admin', 'must be an e-mail address'],
    ['server.public_url', 'https://x/path', 'a host name of its own'],
    ['server.public_url', 'https://x?a=b', 'scheme, host and port only'],
    ['server.public_url', 'https://me:pw@x', 'scheme, host and port only'],
    ['server.public_url', 'ftp://x', 'scheme, host and port only'],
    ['bus.url', 'http://cache:6379', 'must be redis://user:password@host:port/database'],
    ['bus.url', 'redis://', 'must be redis://user:password@host:port/database'],
    ['bus.url', 'redis://cache/zero', 'must be redis://user:password@host:port/database'],
    ['bus.prefix', 'a:b', 'must be up to 64 letters, digits and _ . -'],
    ['cluster.lease_life', '1s', 'must lie between 3s and 5m'],
  ])('%s refuses %j', (key, data, message) => {
    expect(() => read(key, data)).toThrow(RangeError);
    expect(() => read(key, data)).toThrow(message);
  });

  it('reports every bad item of a list', () => {
    const error = catchError(() => read('auth.trusted_proxies', ['x', '10.0.0.1', '10.0.0.0/33', 5]));
    expect(error).toBeInstanceOf(AggregateError);
    expect((error as AggregateError).errors).toMatchObject([{ index: 0 }, { index: 2 }, { index: 3 }]);
  });

  it.each(['research', '=./a.ts:graph', 'research=', 'a b=./a.ts:graph'])(
    'takes no agent written %j',
    (text) => {
      const error = catchError(() => read('agents', [text])) as AggregateError;
      expect(error.errors).toMatchObject([{ message: expect.stringContaining('must be name=file:export') }]);
    },
  );

  it('refuses all faulty origins at once', () => {
    const error = catchError(() => read('server.cors.origins', ['*'])) as AggregateError;
    expect(error.errors).toMatchObject([{ message: expect.stringContaining('must name each origin') }]);
  });

  it.each([
    ['auth.jwt_secret', 'hunter2hunter2', 'must have at least 32 characters'],
    ['database.url', 'mysql://me:hunter2@host', 'must begin with postgres:// or postgresql://'],
    [
      'bus.url',
      'http://me:hunter2@host',
      'must be redis://user:password@host:port/database, rediss:// for TLS, or the path of a unix socket',
    ],
    ['observability.metrics.token', 12_345, 'must be text'],
  ])('%s is a secret, so a fault does not quote it', (key, data, message) => {
    expect(catchError(() => read(key, data))).toMatchObject({ message });
  });
});

it.each([
  'redis://cache',
  'redis://ada:secret@[::1]:6380/3',
  'rediss://:secret@cache.example.com',
  '/run/redis/redis.sock',
  'unix:///run/redis/redis.sock',
])('bus.url takes %s', (url) => {
  expect(read('bus.url', url)).toBe(url);
});

describe('values that come as text', () => {
  it.each([
    ['server.port', '7301', 7301],
    ['server.port', ' 7301 ', 7301],
    ['run_events.track_tokens', 'FALSE', false],
    ['run_events.track_tokens', '1', true],
    ['version', '1', 1],
    ['auth.trusted_proxies', '10.0.0.0/8, ::1,', ['10.0.0.0/8', '::1']],
    ['run_events.max_trace_content', '2048', 2048],
  ])('%s takes "%s"', (key, data, expected) => {
    expect(read(key, data, true)).toEqual(expected);
  });

  it.each([
    ['server.port', '73x0'],
    ['server.port', '0x10'],
    ['server.port', '1e3'],
    ['run_events.track_tokens', 'constructor'],
    ['database.backend', 'Postgres'],
  ])('%s refuses "%s"', (key, data) => {
    expect(() => read(key, data, true)).toThrow(RangeError);
  });
});

function catchError(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
