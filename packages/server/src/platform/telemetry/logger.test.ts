import { describe, expect, test } from 'vitest';
import { AppError } from '../../lib/app-error.ts';
import { areaLoggers, createLogger, type LogLevel } from './logger.ts';

function logged(format: 'json' | 'pretty', level: LogLevel = 'info') {
  const lines: string[] = [];
  const log = createLogger({ level, format, destination: { write: (line) => void lines.push(line) } });
  return { log, lines };
}

describe('JSON', () => {
  test('has one object per line, with the level as a word and the time in UTC', () => {
    const { log, lines } = logged('json');
    log.info({ tasks: 3 }, 'Ready');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      tasks: 3,
      msg: 'Ready',
    });
  });

  test('leaves out lines below its level', () => {
    const { log, lines } = logged('json', 'warn');
    log.info('no');
    log.warn('yes');
    expect(lines).toHaveLength(1);
  });

  test('names the area of a line, and has a level for each', () => {
    const { log, lines } = logged('json', 'warn');
    const { http, dispatch, accounts } = areaLoggers(log, {
      http: 'debug',
      dispatch: 'error',
      accounts: null,
    });
    for (const logger of [http.child({ requestId: 'r' }), dispatch, accounts]) {
      logger.debug('debug');
      logger.warn({ token: 'hunter2' }, 'warn');
    }
    const written = lines.map((line) => JSON.parse(line)).map(({ area, msg, token }) => [area, msg, token]);
    expect(written).toEqual([
      ['http', 'debug', undefined],
      ['http', 'warn', '***'],
      ['accounts', 'warn', '***'],
    ]);
  });

  test('shows where an error came from, and nothing that a user sent with it', () => {
    const { log, lines } = logged('json');
    const faults = [{ in: 'body' as const, path: [], message: 'm', type: 't', input: 'typed by a user' }];
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    log.error({ err: new AppError('validation_failed', { faults, cause }) }, 'Failed');
    const { err } = JSON.parse(lines[0] ?? '');
    expect(err).toMatchObject({
      type: 'AppError',
      code: 'validation_failed',
      stack: expect.stringContaining('logger.test.ts'),
      cause: { type: 'Error', message: 'refused', code: 'ECONNREFUSED' },
    });
    expect(lines[0]).not.toContain('typed by a user');
  });

  test('describes a thrown value that is not an error', () => {
    const { log, lines } = logged('json');
    log.error({ err: 'just a text' }, 'Failed');
    expect(JSON.parse(lines[0] ?? '').err).toEqual({ type: 'string', message: 'just a text' });
  });

  test('describes an error under every name and at every place', () => {
    const { log, lines } = logged('json');
    const error = new Error('It answered 500.');
    log.warn({ error, job: { id: 'j', causes: [error] } }, 'Failed');
    const described = { type: 'Error', message: 'It answered 500.', stack: expect.any(String) };
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      error: described,
      job: { id: 'j', causes: [described] },
    });
  });

  test('hides secrets', () => {
    const { log, lines } = logged('json');
    log.info({ headers: { authorization: 'Bearer abc' } }, 'Request');
    expect(JSON.parse(lines[0] ?? '').headers).toEqual({ authorization: '***' });
  });
});

describe('the form for people', () => {
  test('has time, level, sentence and facts on one line', () => {
    const { log, lines } = logged('pretty');
    log.warn({ port: 7300, url: 'http://127.0.0.1:7300', note: 'two words', list: [1] }, 'Port in use');
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} warn {2}Port in use port=7300 /);
    expect(lines[0]).toContain('url=http://127.0.0.1:7300 note="two words" list=[1]\n');
  });

  test('shows the stack of an error and of its cause below it', () => {
    const { log, lines } = logged('pretty');
    log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'Failed');
    expect(lines[0]).toMatch(/Failed\n {4}Error: outer\n {4}.+ at .+caused by\n {4}Error: inner\n/s);
  });

  test('never lets a value start a line, colour it or reverse its direction', () => {
    const { log, lines } = logged('pretty');
    const evil = 'a\n12:00:00.000 info  forged\u001b[2J\u009b31m\u202e\u2028b';
    log.info({ [`k${evil}`]: evil, err: new Error(evil) }, evil);
    const [text = ''] = lines;
    for (const character of ['\u001b', '\u009b', '\u202e', '\u2028']) expect(text).not.toContain(character);
    // The line itself, and the lines of the stack, which are indented.
    expect(text.split('\n').filter((line) => /^\S/.test(line))).toHaveLength(1);
    expect(text).toContain('\\u000a12:00:00.000 info  forged\\u001b[2J');
  });
});
