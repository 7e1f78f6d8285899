import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { binary } from '@switchyard/dev-env/binary';
import { expect, it } from 'vitest';

const dist = join(binary, '../../dist');

it('names the source of each module beside its code, and brings no maps that no one reads', () => {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => name.endsWith('.map'))).toEqual([]);
  const code = files
    .filter((name) => /^(chunks\/)?[\w-]+\.js$/.test(name))
    .map((name) => readFileSync(join(dist, name), 'utf8'));
  expect(code.join('\n')).toContain('\n// packages/server/src/server.ts\n');
  expect(code.join('\n')).not.toContain('sourceMappingURL=');
});
