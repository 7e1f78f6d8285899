import { describe, expect, it } from 'vitest';
import { colorsFor } from './terminal.ts';

const terminal = { write: () => true, isTTY: true };
const file = { write: () => true };

describe('colours', () => {
  it('are used where a person reads', () => {
    expect(colorsFor(terminal, {}).red('x')).toContain('\u001b');
  });

  it.each([
    ['a file or a pipe', file, {}],
    ['NO_COLOR', terminal, { NO_COLOR: '1' }],
    ['a dumb terminal', terminal, { TERM: 'dumb' }],
  ])('stay away for %s', (_, output, env) => {
    expect(colorsFor(output, env).red('x')).toBe('x');
  });
});
