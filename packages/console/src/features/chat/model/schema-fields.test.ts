import { describe, expect, it } from 'vitest';
import { fieldsOf, inputFields, takesMessages } from './schema-fields.ts';

const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });

describe('the fields of a schema', () => {
  it('have the control of their type, and need a value where one is required', () => {
    const { list } = inputFields(
      object(
        {
          topic: { type: 'string', title: 'Topic', description: 'What it is about.' },
          count: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
          tone: { enum: ['dry', 'warm'] },
          isLong: { type: 'boolean' },
          notes: { type: 'array', items: { type: 'string' } },
          any: {},
        },
        ['topic', 'notes'],
      ),
    );
    expect(list.map(({ name, label, type, required }) => [name, label, type, required])).toEqual([
      ['topic', 'Topic', 'string', true],
      ['count', 'count', 'integer', false],
      ['tone', 'tone', 'choice', false],
      ['isLong', 'isLong', 'boolean', false],
      ['notes', 'notes', 'json', true],
      ['any', 'any', 'value', false],
    ]);
    expect(list[0]).toMatchObject({ description: 'What it is about.', default: null, multiline: true });
    expect(list[1]).toMatchObject({ default: 3, minimum: 1, maximum: 9 });
  });

  it('begin with what was told before, as it is entered', () => {
    const schema = object({ tone: { type: 'string', default: 'dry' }, tags: { type: 'array' } }, ['tags']);
    expect(fieldsOf(schema, { tone: 'warm', tags: ['a'] })).toMatchObject([
      { name: 'tone', default: 'warm', required: false },
      { name: 'tags', default: '[\n  "a"\n]', required: false },
    ]);
  });

  it('follow references and leave out null beside another type', () => {
    const schema = {
      ...object({ tone: { anyOf: [{ $ref: '#/definitions/Tone' }, { type: 'null' }] } }),
      definitions: { Tone: { enum: ['dry', 'warm'] } },
    };
    expect(inputFields(schema).list).toMatchObject([
      { name: 'tone', type: 'choice', choices: ['dry', 'warm'] },
    ]);
  });

  it('end for a schema that refers to itself', () => {
    const schema = {
      ...object({ a: { $ref: '#/definitions/A' } }),
      definitions: { A: { $ref: '#/definitions/A' } },
    };
    expect(inputFields(schema).list).toMatchObject([{ name: 'a', type: 'value' }]);
  });

  it('are one field of JSON where nothing is described', () => {
    const { list, inputOf } = inputFields(null);
    expect(list).toMatchObject([{ name: 'input', type: 'json', default: '{}' }]);
    expect(inputOf({ input: { a: 1 } })).toEqual({ a: 1 });
    expect(inputOf({})).toEqual({});
    expect(fieldsOf(null, {})).toEqual([]);
  });
});

it('tells a graph that is talked to from one with other things under the name of messages', () => {
  const item = { anyOf: [{ type: 'object' }] };
  expect(takesMessages(object({ messages: { type: 'array', langgraph_type: 'messages' } }))).toBe(true);
  expect(takesMessages(object({ messages: { type: 'array', items: item } }))).toBe(true);
  expect(takesMessages(object({ messages: { type: 'array', items: { type: 'string' } } }))).toBe(false);
  expect(takesMessages(object({ messages: { type: 'array' } }))).toBe(false);
  expect(takesMessages(object({ topic: { type: 'string' } }))).toBe(false);
  expect(takesMessages(null)).toBe(false);
});
