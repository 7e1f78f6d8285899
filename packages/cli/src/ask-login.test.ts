import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { askNewPassword } from './ask-login.ts';
import type { Terminal } from './terminal.ts';

/** Plays a person who types each of these lines as soon as the prompt asks for it. */
function typing(lines: string[]): Terminal {
  const stdin = new PassThrough();
  const stderr = new PassThrough();
  let asked = 0;
  stderr.on('data', (text: Buffer) => {
    const questions = ['This is a first password', 'Once more'];
    if (asked < lines.length && text.toString().includes(questions[asked] ?? '')) {
      const line = lines[asked] ?? '';
      asked += 1;
      // The prompt reads input once it has drawn itself.
      setImmediate(() => stdin.write(`${line}\r`));
    }
  });
  return { env: {}, cwd: '/', stdin, stdout: stderr, stderr };
}

it('takes a new password that is typed twice', async () => {
  expect(await askNewPassword(typing(['my own secret', 'my own secret']))).toBe('my own secret');
});

it('keeps the first password when the user just presses Enter', async () => {
  expect(await askNewPassword(typing(['']))).toBeNull();
});

it('ends as cancelled on Ctrl-C', async () => {
  await expect(askNewPassword(typing(['\u0003']))).rejects.toMatchObject({ exit: 'cancelled' });
});
