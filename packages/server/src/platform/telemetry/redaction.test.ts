import { describe, expect, test } from 'vitest';
import { redactSecrets } from './redaction.ts';

describe('a line of the log', () => {
  test.each([
    ['authorization', 'Bearer abc'],
    ['Cookie', 'access_token="x"; csrf_token=y'],
    ['set-cookie', ['access_token=x', 'csrf_token=y']],
    ['x-api-key', 'sy'],
    ['password', 'with "quotes" and \\ in it'],
    ['new_password', 'hunter2'],
    ['passwordHash', '$2b$12$'],
    ['jwt_secret', 's'],
    ['access_token', 't'],
  ])('says *** instead of the value of %s, at every depth', (name, value) => {
    for (const fields of [{ [name]: value }, { deep: [{ er: { [name]: value } }] }]) {
      const line = redactSecrets(`${JSON.stringify({ ...fields, kept: 'yes' })}\n`);
      const expected = JSON.stringify({ ...fields, kept: 'yes' }).replace(JSON.stringify(value), '"***"');
      expect(line).toBe(`${expected}\n`);
    }
  });

  test('shows *** in JSON inside a sentence too, and stays JSON', () => {
    const inner = JSON.stringify({ user: 'ada', password: 'a "quoted" \\ one', n: 1 });
    const line = redactSecrets(JSON.stringify({ msg: `body was ${inner}` }));
    expect(JSON.parse(line)).toEqual({ msg: 'body was {"user":"ada","password":"***","n":1}' });
  });

  test.each([
    ['Bearer eyJhbGciOiJIUzI1NiJ9.abc', 'Bearer ***'],
    ['got sy_pat_abcDEF-123 there', 'got sy_pat_*** there'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', '***'],
    ['GET /ws?token=abc&x=1', 'GET /ws?token=***&x=1'],
    ['/uploads/f/a.png?expires=1&sig=abc', '/uploads/f/a.png?expires=1&sig=***'],
    ['postgres://ada:pa55@db:5432/x', 'postgres://ada:***@db:5432/x'],
  ])('%s', (sentence, expected) => {
    expect(JSON.parse(redactSecrets(JSON.stringify({ msg: sentence })))).toEqual({ msg: expected });
  });

  test('keeps what only looks like a secret', () => {
    const line = JSON.stringify({
      tokens: 12,
      max_tokens: 5,
      secretary: 1,
      url: 'http://127.0.0.1:7300/a:b',
    });
    expect(redactSecrets(line)).toBe(line);
  });

  test.each([
    'eyJ-',
    'eyJaaaaaaaaaaa.',
    'bearer ',
    '://a:',
    '"token":[',
    '\\"token\\":\\"',
    'password',
    '\\',
  ])('is read in linear time, even if it repeats %j without an end', (part) => {
    const evil = part.repeat(Math.ceil(400_000 / part.length));
    // A backtracking pattern needs minutes for this. The test's time limit is the assertion.
    expect(redactSecrets(`"${evil}`).length).toBeGreaterThan(0);
    expect(redactSecrets(JSON.stringify({ msg: evil })).length).toBeGreaterThan(0);
  });
});
