import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forEachMember } from './json-members.ts';

async function membersOf(text: string): Promise<[string, unknown][]> {
  const members: [string, unknown][] = [];
  await forEachMember(text, (key, value) => members.push([key, value]));
  return members;
}

describe('the members of a JSON object', () => {
  it('are those that the parser finds, whatever stands in them and between them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
        fc.constantFrom(undefined, 1, '\t', '\n \r'),
        async (object, space) => {
          const text = JSON.stringify(object, null, space);
          const parsed = JSON.parse(text) as object;
          expect(new Map(await membersOf(` ${text}\n`))).toEqual(new Map(Object.entries(parsed)));
        },
      ),
    );
    expect(await membersOf(String.raw`{"a\\":"\"}\\","b":["\\\\",{"c":",}"}]}`)).toEqual([
      ['a\\', '"}\\'],
      ['b', ['\\\\', { c: ',}' }]],
    ]);
  });

  it.each([
    '',
    '[]',
    'null',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,}',
    '{"a":1]',
    '{"a":[1}',
    '{"a":"x}',
    '{"a":}',
    '{a:1}',
    '{"a" 1}',
    '{"a":1}}',
    '{"a":1} x',
    '{"a":1 2}',
    '{,}',
  ])('are refused where the parser refuses them: %s', async (text) => {
    await expect(membersOf(text)).rejects.toThrow(SyntaxError);
  });

  it('are visited over several turns of the event loop', async () => {
    const text = JSON.stringify(
      Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`n${index}`, 1])),
    );
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await membersOf(text);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(10);
  });
});
