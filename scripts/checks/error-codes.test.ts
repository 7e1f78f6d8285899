import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ErrorCode, errorCatalogue } from '@switchyard/contract/errors';
import { expect, it } from 'vitest';

const server = fileURLToPath(new URL('../../packages/server/src/', import.meta.url));

/** Codes that are never sent in an answer, with the reason why the catalogue has them all the same. */
const notThrown: Partial<Record<ErrorCode, string>> = {
  too_many_sockets: 'a socket beyond the limit is closed with a code, which the client turns into this error',
};

/** Codes that no source uses to make an error: clients would handle an error that never occurs. */
function findUnusedCodes(codes: readonly string[], sources: readonly string[]): string[] {
  const throwers = sources.filter((text) => text.includes('AppError'));
  return codes.filter((code) => !throwers.some((text) => text.includes(`'${code}'`)));
}

it('every error of the catalogue is thrown somewhere in the server', () => {
  // Works without git: the tests run on machines that have only Node.
  const sources = readdirSync(server, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/(\.test|-conformance)\.ts$/.test(path))
    .map((path) => readFileSync(server + path, 'utf8'));
  expect(findUnusedCodes(Object.keys(errorCatalogue), sources)).toEqual(Object.keys(notThrown));
});

it('a code that only a test, a comment without quotes or another file’s type names counts as unused', () => {
  const sources = [
    "throw new AppError('task_not_found');",
    "type Way = 'queue_full';",
    '// AppError lost_code',
  ];
  expect(findUnusedCodes(['task_not_found', 'queue_full', 'lost_code'], sources)).toEqual([
    'queue_full',
    'lost_code',
  ]);
});
