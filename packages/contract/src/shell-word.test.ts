import { expect, it } from 'vitest';
import { shellWord } from './shell-word.ts';

it('puts quotes around a word that a shell would take apart', () => {
  expect(shellWord("it's")).toBe("'it'\\''s'");
  expect(shellWord('two words')).toBe("'two words'");
  expect(shellWord('')).toBe("''");
});

it('leaves a plain word as it is', () => {
  expect(shellWord('10.0.0.1:8188')).toBe('10.0.0.1:8188');
});
