import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeFailure } from './run-failure.ts';

const node = { class_type: 'SaveImage', inputs: {} };

it('a full disk is told in the words of Python, without the name of a file', () => {
  const error = Object.assign(new Error("ENOSPC: no space left on device, open '/home/a/secret.png'"), {
    errno: -28,
    code: 'ENOSPC',
  });
  expect(describeFailure(error, node)).toMatchObject({
    exception_type: 'OSError',
    exception_message: '[Errno 28] no space left on device',
  });
});

it('another error of the system keeps its own words', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-failure-'));
  try {
    writeFileSync(folder, 'a folder is no file');
    expect.unreachable();
  } catch (error) {
    expect(describeFailure(error, node)).toMatchObject({
      exception_type: 'Error',
      exception_message: expect.stringContaining('EISDIR'),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
