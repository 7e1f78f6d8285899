import { expect, it } from 'vitest';
import { matches, step } from './match.ts';

it('finds a text that has every word, in any order and case', () => {
  expect(matches('Tools & MCP', 'mcp tool')).toBe(true);
  expect(matches('Tools & MCP', 'mcp x')).toBe(false);
  expect(matches('访问令牌', '令牌')).toBe(true);
});

it('finds everything while nothing is typed', () => {
  expect(matches('Overview', '')).toBe(true);
});

it('goes from the last entry to the first, and back', () => {
  expect(step(2, { by: 1, count: 3 })).toBe(0);
  expect(step(0, { by: -1, count: 3 })).toBe(2);
  expect(step(0, { by: 1, count: 0 })).toBe(0);
});
