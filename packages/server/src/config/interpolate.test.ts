import { describe, expect, it } from 'vitest';
import { interpolate } from './interpolate.ts';

const env = { HOST: 'db.example.com', PORT: '5432', EMPTY: '', DOLLAR: 'a$b${HOST}' };

describe('interpolate', () => {
  it.each([
    ['plain', 'plain'],
    ['${HOST}', 'db.example.com'],
    ['${HOST}:${PORT}', 'db.example.com:5432'],
    ['${MISSING:-localhost}', 'localhost'],
    ['${EMPTY:-localhost}', 'localhost'],
    ['${HOST:-localhost}', 'db.example.com'],
    ['${MISSING:-}', ''],
    ['${MISSING:-a:-b}', 'a:-b'],
    ['${EMPTY}', ''],
    ['${HOST:?set it}', 'db.example.com'],
    ['$${HOST}', '${HOST}'],
    ['$${HOST} ${PORT}', '${HOST} 5432'],
    ['$HOST costs $5', '$HOST costs $5'],
  ])('turns %s into %s', (text, expected) => {
    expect(interpolate(text, env)).toBe(expected);
  });

  it('inserts a value unchanged and does not look for variables inside it', () => {
    expect(interpolate('${DOLLAR}', env)).toBe('a$b${HOST}');
  });

  it.each([
    ['${MISSING}', 'needs the environment variable MISSING; set it, or write ${MISSING:-default}'],
    ['${MISSING:?ask the operator}', 'needs the environment variable MISSING: ask the operator'],
    ['${EMPTY:?}', 'needs the environment variable EMPTY: not set'],
    ['${HOST', 'has no closing brace after "${HOST"'],
    ['${}', 'has "${}", which is none of'],
    ['${HOST-x}', 'has "${HOST-x}", which is none of'],
    ['${A:-${HOST}}', 'nests one variable in another'],
  ])('refuses %s and says why', (text, message) => {
    expect(() => interpolate(text, env)).toThrow(RangeError);
    expect(() => interpolate(text, env)).toThrow(message);
  });
});
