import { describe, expect, it } from 'vitest';
import { parsePath, valueAtPath } from './extract-paths.ts';

const thread = { values: { messages: [{ content: 'first' }, { content: 'last' }], 'a b': 1 }, metadata: {} };

function at(path: string): unknown {
  return valueAtPath(thread, parsePath('alias', path).segments);
}

describe('paths into a thread', () => {
  it.each([
    ['values.messages[0].content', 'first'],
    ['values.messages[-1].content', 'last'],
    ['values.a b', 1],
    ['values["a b"]', 1],
    ['metadata', {}],
    ['values.messages[2].content', null],
    ['values.messages.content', null],
    ['values[0]', null],
    ['metadata.constructor', null],
    ['metadata.__proto__', null],
  ])('%s leads to %j', (path, value) => {
    expect(at(path)).toEqual(value);
  });

  it.each(['.values', 'values..x', 'values[', 'values[x]', 'values]', 'values.', `${'a.'.repeat(70)}a`])(
    'refuses %s',
    (path) => {
      expect(() => parsePath('alias', path)).toThrow(
        expect.objectContaining({ faults: [expect.objectContaining({ path: ['extract', 'alias'] })] }),
      );
    },
  );
});
