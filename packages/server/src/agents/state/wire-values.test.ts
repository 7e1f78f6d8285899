import { Document } from '@langchain/core/documents';
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageFields,
  ChatMessage,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { Command, Send } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { wireError, wireValue, wireValues } from './wire-values.ts';

describe('a message', () => {
  const bare = { additional_kwargs: {}, response_metadata: {} };

  it.each([
    [
      'of a human',
      new HumanMessage({ id: 'h', content: 'hi' }),
      { type: 'human', id: 'h', content: 'hi', ...bare },
    ],
    [
      'of an assistant',
      new AIMessage({
        id: 'a',
        content: [{ type: 'text', text: 'let me see' }],
        name: 'lead',
        tool_calls: [{ name: 'add', args: { a: 1 }, id: 'c', type: 'tool_call' }],
        usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
        additional_kwargs: { reasoning: 'x' },
        response_metadata: { model_name: 'm' },
      } as unknown as AIMessageFields),
      {
        type: 'ai',
        id: 'a',
        content: [{ type: 'text', text: 'let me see' }],
        name: 'lead',
        tool_calls: [{ name: 'add', args: { a: 1 }, id: 'c', type: 'tool_call' }],
        invalid_tool_calls: [],
        usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
        additional_kwargs: { reasoning: 'x' },
        response_metadata: { model_name: 'm' },
      },
    ],
    [
      'of a tool',
      new ToolMessage({
        id: 't',
        content: '3',
        name: 'add',
        tool_call_id: 'c',
        status: 'error',
        artifact: { x: 1 },
        metadata: { from: 'cache' },
      }),
      {
        type: 'tool',
        id: 't',
        content: '3',
        name: 'add',
        tool_call_id: 'c',
        status: 'error',
        artifact: { x: 1 },
        metadata: { from: 'cache' },
        ...bare,
      },
    ],
    ['to remove one', new RemoveMessage({ id: 'h' }), { type: 'remove', id: 'h', content: [], ...bare }],
    [
      'in a role of its own',
      new ChatMessage({ content: 'x', role: 'critic' }),
      { type: 'generic', content: 'x', role: 'critic', ...bare },
    ],
  ])('%s is a flat record', (_title, message, expected) => {
    expect(wireValue(message)).toEqual(expected);
  });

  it('in pieces has the type of the whole one', () => {
    const piece = new AIMessageChunk({
      id: 'a',
      content: 'h',
      tool_call_chunks: [{ name: 'add', args: '{', id: 'c', index: 0, type: 'tool_call_chunk' }],
    });
    expect(wireValue(piece)).toMatchObject({
      type: 'ai',
      id: 'a',
      content: 'h',
      tool_call_chunks: [{ name: 'add', args: '{', id: 'c', index: 0 }],
    });
  });

  it('is found at any depth', () => {
    const message = new HumanMessage('hi');
    expect(wireValue({ a: [{ b: message }] })).toMatchObject({
      a: [{ b: { type: 'human', content: 'hi' } }],
    });
  });
});

describe('a value', () => {
  class Own {
    visible = 1;
    get hidden(): number {
      return 2;
    }
  }

  it.each([
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['no date', new Date(Number.NaN), null],
    [
      'a map',
      new Map<unknown, unknown>([
        ['a', 1],
        [2, new Set([3])],
      ]),
      { a: 1, 2: [3] },
    ],
    ['a set', new Set(['a', 'b']), ['a', 'b']],
    ['a small bigint', 5n, 5],
    ['a large bigint', 2n ** 64n, '18446744073709551616'],
    ['what is no number', [Number.NaN, Number.POSITIVE_INFINITY], [null, null]],
    ['bytes', { a: new Uint8Array([1, 2]), b: Buffer.from([1, 2]) }, { a: 'AQI=', b: 'AQI=' }],
    ['an error', new RangeError('too far'), { error: 'RangeError', name: 'RangeError', message: 'too far' }],
    [
      'a document',
      new Document({ pageContent: 'text', metadata: { page: 1 } }),
      { pageContent: 'text', metadata: { page: 1 } },
    ],
    ['an instance', new Own(), { visible: 1 }],
    [
      'what says its own JSON',
      { at: { toJSON: () => ({ x: new Date(0) }) } },
      { at: { x: '1970-01-01T00:00:00.000Z' } },
    ],
    ['what JSON leaves out', { a: undefined, b: () => 1, c: Symbol('c'), d: null }, { d: null }],
    ['what JSON leaves out in a list', [undefined, () => 1], [null, null]],
    ['a Send', new Send('node', { x: 1 }), { lg_name: 'Send', node: 'node', args: { x: 1 } }],
    [
      'a Command',
      new Command({ update: { x: 1 }, goto: 'node' }),
      { lg_name: 'Command', update: { x: 1 }, goto: ['node'] },
    ],
    ['a record without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ])('%s has a form in JSON', (_title, value, expected) => {
    const json = wireValue(value);
    expect(json).toMatchObject(expected as object);
    expect(JSON.parse(JSON.stringify(json))).toEqual(json);
  });

  it('that contains itself gets a note in that place', () => {
    const value: Record<string, unknown> = { a: 1 };
    value.self = { inner: value };
    expect(wireValue(value)).toEqual({ a: 1, self: { inner: '[Circular]' } });
  });

  it('that stands in two places is written in both', () => {
    const shared = { a: 1 };
    expect(wireValue([shared, shared])).toEqual([{ a: 1 }, { a: 1 }]);
  });

  it('nested without end does not end the process', () => {
    let value: unknown = 'deep';
    for (let depth = 0; depth < 100_000; depth += 1) value = [value];
    expect(JSON.stringify(wireValue(value))).toContain('[Too deep]');
  });

  it('keeps a key named __proto__ a key', () => {
    const json = wireValue(JSON.parse('{"__proto__":{"x":1}}'));
    expect(JSON.stringify(json)).toBe('{"__proto__":{"x":1}}');
    expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
  });
});

it('the values of a graph come without its book-keeping', () => {
  expect(wireValues({ messages: [], __pregel_tasks: [1], __interrupt__: [] })).toEqual({
    messages: [],
    __interrupt__: [],
  });
});

it.each([
  [new TypeError('no'), { error: 'TypeError', name: 'TypeError', message: 'no' }],
  [
    { name: 'Custom', message: 'no' },
    { error: 'Custom', name: 'Custom', message: 'no' },
  ],
  ['no', { error: 'Error', name: 'Error', message: 'no' }],
  [{ code: 1 }, { error: 'Error', name: 'Error', message: '{"code":1}' }],
  [undefined, { error: 'Error', name: 'Error', message: 'null' }],
])('what was thrown is told without its stack: %j', (thrown, expected) => {
  expect(wireError(thrown)).toEqual(expected);
});

it('shared elements of lists have the same JSON as without sharing', () => {
  const step = {
    id: 1,
    actionRequests: [],
    reviewConfigs: [{ actionName: 'x' }],
    at: new Date(0),
    inner: [[{}]],
  };
  const values = { messages: [new HumanMessage('hi'), step, 'text', null, undefined], one: step };
  const shared = new WeakMap();
  const [first, second] = [wireValues(values, shared), wireValues({ ...values, more: 1 }, shared)];
  expect(first).toEqual(wireValues(values));
  expect((second.messages as object[])[0]).toBe((first.messages as object[])[0]);
});
