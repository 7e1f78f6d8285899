import { expect, it } from 'vitest';
import { linesOf, parseLines } from './secret-lines.ts';

it('reads what it has written, masked values included', () => {
  const secrets = { TOKEN: '***', PADDED: 'YWJj==' };
  expect(parseLines(linesOf(secrets))).toEqual({ secrets, faults: [] });
});

it('names the lines without a name or a value', () => {
  expect(parseLines('A=1\n\nnonsense\n=2\nB=')).toEqual({ secrets: { A: '1', B: '' }, faults: [3, 4] });
});
