import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SourceProject, sourceProject } from '../../../../testing/source-project.ts';
import { loadCompiler, type OpenedSource, openSource } from './compiler.ts';
import type { JsonSchema } from './json-schema.ts';
import { TypeSchemas } from './type-schemas.ts';

/** Each type, as it stands in the source, with its schema. */
const simple: [string, JsonSchema][] = [
  ['string', { type: 'string' }],
  ['number', { type: 'number' }],
  ['boolean', { type: 'boolean' }],
  ['bigint', { type: 'integer' }],
  ['null', { type: 'null' }],
  ['any', {}],
  ['unknown', {}],
  ['never', {}],
  ['string | undefined', { type: 'string' }],
  ['string | null', { type: ['string', 'null'] }],
  ['boolean | null', { type: ['boolean', 'null'] }],
  ['string | any[]', { type: ['string', 'array'] }],
  ['string | unknown', {}],
  ["'one'", { type: 'string', const: 'one' }],
  ["'one' | 'two'", { type: 'string', enum: ['one', 'two'] }],
  ["'one' | 'two' | null", { anyOf: [{ type: 'string', enum: ['one', 'two'] }, { type: 'null' }] }],
  ["1 | 2 | 'x'", { type: ['number', 'string'], enum: [1, 2, 'x'] }],
  ['true', { type: 'boolean', const: true }],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: It is a type of the source.
  ['`id-${string}`', { type: 'string' }],
  ['Colour', { type: 'string', enum: ['red', 'blue'] }],
  ['string & { brand: 1 }', { type: 'string' }],
  ['string[]', { type: 'array', items: { type: 'string' } }],
  ['readonly number[]', { type: 'array', items: { type: 'number' } }],
  ['any[]', { type: 'array' }],
  [
    '[string, number?]',
    { type: 'array', items: [{ type: 'string' }, { type: 'number' }], minItems: 1, maxItems: 2 },
  ],
  [
    '[string, ...number[]]',
    { type: 'array', items: [{ type: 'string' }], minItems: 1, additionalItems: { type: 'number' } },
  ],
  ['Date', { type: 'string', format: 'date-time' }],
  ['URL', { type: 'string' }],
  ['Map<string, number>', { type: 'object' }],
  ['Promise<string>', { type: 'object' }],
  ['() => string', { type: 'object' }],
  ['string | (() => string)', { type: 'string' }],
  ['object', { type: 'object' }],
  ['Record<string, any>', { type: 'object' }],
  ['Record<string, number>', { type: 'object', additionalProperties: { type: 'number' } }],
  ["Record<'a', number>", { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }],
  [
    '{ a: string; b?: number; c: boolean | undefined }',
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' }, c: { type: 'boolean' } },
      required: ['a'],
    },
  ],
  [
    '{ a: string } & { b: number }',
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
  ],
  ['{ f(): void; g: () => void; readonly [Symbol.iterator]: 1 }', { type: 'object', properties: {} }],
  ['Account', { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }],
  ['typeof Account', { type: 'object' }],
];

const overwriteOfList = '{__overwrite__:any[];}';
const overwriteOfNumber = '{__overwrite__:number;}';
const referring: [string, JsonSchema, Record<string, JsonSchema>][] = [
  [
    'Tree',
    { $ref: '#/definitions/Tree' },
    {
      Tree: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/definitions/Tree' } },
        },
        required: ['name', 'children'],
      },
    },
  ],
  [
    'string[] | { __overwrite__: string[] }',
    { anyOf: [{ type: 'array', items: { type: 'string' } }, { $ref: `#/definitions/${overwriteOfList}` }] },
    {
      [overwriteOfList]: {
        type: 'object',
        properties: { __overwrite__: { type: 'array' } },
        required: ['__overwrite__'],
      },
    },
  ],
  [
    '{ __overwrite__: number } | number',
    { anyOf: [{ type: 'number' }, { $ref: `#/definitions/${overwriteOfNumber}` }] },
    {
      [overwriteOfNumber]: {
        type: 'object',
        properties: { __overwrite__: { type: 'number' } },
        required: ['__overwrite__'],
      },
    },
  ],
];

const listOfMessages = { type: 'array', items: { $ref: '#/definitions/BaseMessage' } };
const oneMessage = { $ref: '#/definitions/BaseMessage' };
const messages: [string, JsonSchema][] = [
  ['BaseMessage', oneMessage],
  ['HumanMessage', oneMessage],
  ['AIMessage | null', { anyOf: [oneMessage, { type: 'null' }] }],
  ['BaseMessage[]', listOfMessages],
  ['(AIMessage | HumanMessage)[]', listOfMessages],
  ['BaseMessageLike | BaseMessageLike[]', listOfMessages],
  ['{ __overwrite__: BaseMessage[] } | BaseMessage[]', listOfMessages],
];

const all = [...simple, ...referring, ...messages].map(([text]) => text);
const text = `import type { AIMessage, BaseMessage, BaseMessageLike, HumanMessage } from '@langchain/core/messages';
enum Colour { Red = 'red', Blue = 'blue' }
interface Tree { name: string; children: Tree[] }
class Account { name = ''; private key = ''; #secret = ''; protected kept = ''; greet() { return this.key + this.#secret; } }
interface Endless<T> { value: T; next: Endless<T[]> }
type Wide<Depth extends 0[]> = { a: Wide<[...Depth, 0]>; b: Wide<[0, ...Depth]>; c: Wide<[0, 0, ...Depth]>; d: Depth };
${all.map((each, index) => `export declare const value${index}: ${each};`).join('\n')}
export declare const endless: Endless<string>;
export declare const wide: Wide<[]>;
`;

let project: SourceProject;
let source: OpenedSource;
beforeAll(() => {
  project = sourceProject({ files: { 'types.ts': text }, compiler: 'real' });
  const path = createRequire(project.file('types.ts')).resolve('typescript');
  source = openSource(loadCompiler(path), project.file('types.ts'));
});
afterAll(() => project.remove());

function schemaOf(name: string): JsonSchema {
  const { checker } = source;
  const file = checker.getSymbolAtLocation(source.source);
  const exported = file && checker.getExportsOfModule(file).find((each) => each.name === name);
  if (!exported) throw new Error(`There is no ${name}`);
  const schemas = new TypeSchemas(source);
  return schemas.document(schemas.schemaOf(checker.getTypeOfSymbol(exported)));
}

const $schema = 'http://json-schema.org/draft-07/schema#';
const named = (type: string) => `value${all.indexOf(type)}`;

describe('the schema of a type', () => {
  it.each(simple)('is made of %s', (type, expected) => {
    expect(schemaOf(named(type))).toEqual({ $schema, ...expected });
  });

  it.each(referring)('has definitions for %s', (type, expected, definitions) => {
    expect(schemaOf(named(type))).toEqual({ $schema, ...expected, definitions });
  });

  it.each(messages)('shows messages as the development server of LangGraph does: %s', (type, expected) => {
    const { definitions, ...schema } = schemaOf(named(type));
    expect(schema).toEqual({ $schema, ...expected });
    expect(definitions).toMatchObject({
      BaseMessage: {
        description: expect.stringContaining('Base class for all types of messages'),
        oneOf: [
          { $ref: '#/definitions/BaseMessageChunk' },
          { $ref: '#/definitions/ToolMessage' },
          { $ref: '#/definitions/AIMessage' },
          { $ref: '#/definitions/ChatMessage' },
          { $ref: '#/definitions/FunctionMessage' },
          { $ref: '#/definitions/HumanMessage' },
          { $ref: '#/definitions/SystemMessage' },
          { $ref: '#/definitions/RemoveMessage' },
        ],
      },
      HumanMessage: { properties: { type: { const: 'human' } } },
    });
  });

  it.each(['endless', 'wide'])('ends for a type that goes on for ever: %s', (name) => {
    const written = JSON.stringify(schemaOf(name));
    expect(written.length).toBeGreaterThan(100);
    expect(written.length).toBeLessThan(1_000_000);
  });
});
