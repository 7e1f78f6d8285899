import { expect, it } from 'vitest';
import { commandBlocks } from './command-blocks.ts';

it('finds the blocks for a terminal, and which of them are examples', () => {
  const text = [
    '# Title',
    '```sh',
    'echo one',
    '```',
    '```yaml',
    'a: 1',
    '```',
    '<!-- example: asks for a password -->',
    '```sh',
    'switchyard login',
    'echo two',
    '```',
    '* A list',
    '',
    '  ```sh',
    '  echo three',
    '  ```',
  ].join('\n');
  expect(commandBlocks(text)).toEqual([
    { line: 3, code: 'echo one', example: null },
    { line: 10, code: 'switchyard login\necho two', example: 'asks for a password' },
    { line: 16, code: '  echo three', example: null },
  ]);
});
