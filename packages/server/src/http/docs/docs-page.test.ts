import type { Endpoint } from '@switchyard/contract/endpoint';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { curlExample, exampleValue } from './docs-example.ts';
import { fieldsOf, typeText } from './docs-fields.ts';
import { docsPage } from './docs-page.ts';
import { html, prose } from './markup.ts';
import { openApiDocument } from './openapi.ts';

describe('markup', () => {
  test('escapes every insert', () => {
    const evil = "\"><script>alert('x')</script>&";
    expect(html`<a title="${evil}">${evil}</a>`.text).not.toMatch(/<script|"><|&(?!#)/);
  });

  test('joins lists and leaves out absent values', () => {
    expect(html`<ul>${[html`<li>1</li>`, false, undefined, '<']}</ul>`.text).toBe('<ul><li>1</li>&#60;</ul>');
  });

  test('shows words in backticks as code', () => {
    expect(prose('send `a<b` now').text).toBe('send <code>a&#60;b</code> now');
  });
});

describe('a type in words', () => {
  test.each([
    [Type.String({ minLength: 1, maxLength: 64 }), 'string, 1 to 64 characters'],
    [Type.Integer({ minimum: 1, maximum: 604_800, default: 60 }), 'integer, 1 to 604,800, default 60'],
    [Type.Number({ minimum: 0 }), 'number, at least 0'],
    [Type.Union([Type.Literal('a'), Type.Literal('b')]), 'one of "a", "b"'],
    [Type.Array(Type.Integer(), { maxItems: 2 }), 'list of integer, at most 2 items'],
    [Type.Unsafe<string | null>({ type: ['string', 'null'] }), 'string or null'],
    [Type.Union([Type.String(), Type.Null()]), 'string or null'],
    [Type.Unknown(), 'any'],
  ])('%j', (schema, words) => {
    expect(typeText({ ...schema })).toBe(words);
  });
});

test('fields are listed with dotted names, items of lists with []', () => {
  const schema = Type.Object({
    id: Type.String({ description: 'The id.' }),
    items: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
  });
  expect(fieldsOf({ ...schema })).toEqual([
    { name: 'id', type: 'string', required: true, description: 'The id.' },
    { name: 'items', type: 'list of object', required: false, description: '' },
    { name: 'items[].name', type: 'string', required: true, description: '' },
  ]);
});

describe('an example', () => {
  const submit = {
    method: 'POST',
    url: '/api/tasks/:taskId/notes',
    config: { access: 'dispatch:write' },
    schema: {
      summary: 'Add <a note>',
      description: 'Uses `markdown`.',
      tags: ['Notes'],
      params: Type.Object({ taskId: Type.String() }),
      querystring: Type.Object({ limit: Type.Integer({ minimum: 3 }), other: Type.Optional(Type.String()) }),
      body: Type.Object({ text: Type.String(), stars: Type.Optional(Type.Integer()) }),
      response: { 200: Type.Object({ id: Type.String() }) },
    },
  } as const satisfies Endpoint;
  const document = openApiDocument([submit], { version: '1' });

  test('fills only the required fields', () => {
    const operation = document.paths['/api/tasks/{taskId}/notes']?.post;
    expect(operation && curlExample('POST', '/api/tasks/{taskId}/notes', operation)).toBe(
      [
        'curl -X POST "http://127.0.0.1:7300/api/tasks/$TASK_ID/notes?limit=3"',
        '-H "Authorization: Bearer $TOKEN"',
        "-H 'Content-Type: application/json'",
        `-d '{"text":"…"}'`,
      ].join(' \\\n  '),
    );
  });

  test('prefers the example of the schema', () => {
    expect(exampleValue({ type: 'string', examples: ['x'], default: 'y' })).toBe('x');
    expect(exampleValue({ type: 'integer', default: 7 })).toBe(7);
    expect(exampleValue({ enum: ['a', 'b'] })).toBe('a');
    expect(exampleValue({ type: 'array', items: { type: 'boolean' }, minItems: 1 })).toEqual([true]);
  });

  test('is on the page, escaped', () => {
    const page = docsPage(document);
    expect(page).toContain('Add &#60;a note&#62;');
    expect(page).toContain('Uses <code>markdown</code>.');
    expect(page).toContain('scope dispatch:write');
    expect(page).not.toContain('<a note>');
  });
});
