import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const cli = resolve(import.meta.dirname, '../../packages/cli');

it('the built binary and its package hold the notices of what they contain', () => {
  const text = readFileSync(`${cli}/dist/THIRD-PARTY-NOTICES.txt`, 'utf8');
  expect(text).toMatch(/^fastify \S+ \(MIT\)$/m);
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: cli, encoding: 'utf8', stdio: 'pipe' }),
  );
  expect(packed.files.map(({ path }: { path: string }) => path)).toContain('dist/THIRD-PARTY-NOTICES.txt');
});
