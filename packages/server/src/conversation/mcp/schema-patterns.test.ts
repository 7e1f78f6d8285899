import { expect, it } from 'vitest';
import { withoutPatterns } from './schema-patterns.ts';

it('removes regular expressions from every place of a schema, and quotes them in the description', () => {
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

it('keeps arguments whose names are keywords, and values', () => {
  const schema = {
    type: 'object',
    properties: { pattern: { type: 'string' }, patternProperties: { enum: [{ pattern: 'x' }] } },
    required: ['pattern'],
    default: { pattern: 'x' },
  };
  expect(withoutPatterns(schema)).toEqual(schema);
});

it('allows the properties that only a pattern allowed', () => {
  const schema = { type: 'object', patternProperties: { '^x-': {} }, additionalProperties: false };
  expect(withoutPatterns(schema)).toEqual({ type: 'object' });
});
