import { describe, expect, it } from 'vitest';
import { humanMessageIn, withMessageIds } from './human-message.ts';

const stored = (fields: object): object => ({
  type: 'human',
  additional_kwargs: {},
  response_metadata: {},
  name: null,
  id: null,
  ...fields,
});

describe('the human message of an input', () => {
  it.each([
    ['one by its role', { messages: [{ role: 'user', content: 'hi' }] }, stored({ content: 'hi' })],
    [
      'one by its type',
      { messages: [{ type: 'human', content: 'hi', id: 'x' }] },
      stored({ content: 'hi', id: 'x' }),
    ],
    ['a single one', { messages: { role: 'human', content: 'hi' } }, stored({ content: 'hi' })],
    ['bare text', { messages: ['hi'] }, stored({ content: 'hi' })],
    [
      'the last one of several',
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'user', content: 'b' },
          { role: 'system', content: 'c' },
        ],
      },
      stored({ content: 'b' }),
    ],
    [
      'one of blocks, with what comes with it',
      { messages: [{ role: 'user', content: [{ type: 'image_url' }], additional_kwargs: { files: [1] } }] },
      stored({ content: [{ type: 'image_url' }], additional_kwargs: { files: [1] } }),
    ],
  ])('is %s', (_title, input, message) => {
    expect(humanMessageIn(input)).toEqual(message);
  });

  it.each([
    ['no input', null],
    ['an input without messages', { topic: 'x' }],
    ['an empty list', { messages: [] }],
    ['no words of the user', { messages: [{ role: 'assistant', content: 'a' }] }],
    ['empty content', { messages: [{ role: 'user', content: '' }] }],
    ['no blocks', { messages: [{ role: 'user', content: [] }] }],
  ])('is undefined for %s', (_title, input) => {
    expect(humanMessageIn(input)).toBeUndefined();
  });
});

describe('ids of the messages of an input', () => {
  const newIds = (): (() => string) => {
    let made = 0;
    return () => {
      made += 1;
      return `id-${made}`;
    };
  };

  it('are given to those that have none, in every form of message', () => {
    const messages = ['text', { role: 'user', content: 'a' }, { role: 'user', content: 'b', id: 'own' }, 7];
    expect(withMessageIds({ topic: 'x', messages }, newIds())).toEqual({
      topic: 'x',
      messages: [
        { type: 'human', content: 'text', id: 'id-1' },
        { role: 'user', content: 'a', id: 'id-2' },
        { role: 'user', content: 'b', id: 'own' },
        7,
      ],
    });
    expect(withMessageIds({ messages: { role: 'user', content: 'a' } }, newIds())).toEqual({
      messages: [{ role: 'user', content: 'a', id: 'id-1' }],
    });
  });

  it('leave other inputs unchanged', () => {
    for (const input of [null, 'text', [1], { topic: 'x' }])
      expect(withMessageIds(input, newIds())).toEqual(input);
  });
});
