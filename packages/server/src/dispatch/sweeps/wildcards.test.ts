import { expect, it } from 'vitest';
import { picksOf, pickWildcards, readWildcards, WildcardFault } from './wildcards.ts';

const first = (text: string) => pickWildcards(readWildcards(text), () => 0);
const last = (text: string) => pickWildcards(readWildcards(text), (count) => count - 1);

it.each([
  ['a {red|blue} kite', 'a red kite', 'a blue kite'],
  ['{a|{b|c}}{d|}', 'ad', 'c'],
  ['{{a|b}|c} or {x}', 'a or x', 'c or x'],
  ['\\{a\\|b\\} {1\\|2|3}', '{a|b} 1|2', '{a|b} 3'],
  ['{{style}} {{ a|b }} {x|{{style}}}', '{{style}} {{ a|b }} x', '{{style}} {{ a|b }} {{style}}'],
  ['a | b } (c:1.2) \\(d\\) \\', 'a | b } (c:1.2) \\(d\\) \\', 'a | b } (c:1.2) \\(d\\) \\'],
])('picks one of each group in %s', (text, atFirst, atLast) => {
  expect([first(text), last(text)]).toEqual([atFirst, atLast]);
});

it.each(['a {b|c', '{a|{b}', '{a|'.repeat(21) + '}'.repeat(21)])('refuses %s', (text) => {
  expect(() => readWildcards(text)).toThrow(WildcardFault);
});

it('picks the same for the same seed, and another for another run, field or seed', () => {
  const picked = (seed: number, cell: number, param: string) => {
    const pick = picksOf(seed, cell, param);
    return Array.from({ length: 20 }, () => pick(1_000));
  };
  const picks = picked(5, 3, 'prompt');
  expect(picked(5, 3, 'prompt')).toEqual(picks);
  for (const other of [picked(6, 3, 'prompt'), picked(5, 4, 'prompt'), picked(5, 3, 'negative')])
    expect(other).not.toEqual(picks);
  expect(new Set(Array.from({ length: 300 }, (_, cell) => picksOf(1, cell, 'p')(3))).size).toBe(3);
});
