import { expect, it } from 'vitest';
import { withoutPatterns } from './schema-patterns.ts';

it('takes regular expressions out of a schema, wherever they are, and tells what they said', () => {
  const schema = {
    type: 'object',
    properties: {
      code: { type: 'string', pattern: '^(a+)+$', description: 'A code.' },
      list: { type: 'array', items: [{ anyOf: [{ pattern: 'x' }, { type: 'null' }] }] },
      open: { propertyNames: { pattern: 'y' }, additionalProperties: { $ref: '#/$defs/z' } },
    },
    $defs: { z: { type: 'string', pattern: 'z' } },
  };
  expect(withoutPatterns(schema)).toEqual({
    type: 'object',
    properties: {
      code: { type: 'string', description: 'A code. (Matches ^(a+)+$)' },
      list: { type: 'array', items: [{ anyOf: [{ description: 'Matches x' }, { type: 'null' }] }] },
      open: { propertyNames: { description: 'Matches y' }, additionalProperties: { $ref: '#/$defs/z' } },
    },
    $defs: { z: { type: 'string', description: 'Matches z' } },
  });
});

it('leaves arguments that are called so, and values', () => {
  const schema = {
    type: 'object',
    properties: { pattern: { type: 'string' }, patternProperties: { enum: [{ pattern: 'x' }] } },
    required: ['pattern'],
    default: { pattern: 'x' },
  };
  expect(withoutPatterns(schema)).toEqual(schema);
});

it('allows what only a pattern allowed', () => {
  const schema = { type: 'object', patternProperties: { '^x-': {} }, additionalProperties: false };
  expect(withoutPatterns(schema)).toEqual({ type: 'object' });
});
