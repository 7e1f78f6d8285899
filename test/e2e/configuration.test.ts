import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBinary } from '@switchyard/dev-env/binary';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { expect, it } from 'vitest';

const withFiveFaults = `server:
  prot: 7300
  host: 12
database:
  backend: mysql
auth:
  session_ttl: soon
  lockout:
    attempts: 0
`;

it('reports five faults of a configuration file at once, each with its place, and ends with exit code 3', async () => {
  const home = temporaryFolder();
  const file = join(home.path, 'switchyard.yaml');
  writeFileSync(file, withFiveFaults);
  const run = runBinary({
    args: ['up', '--home', home.path, '--config', file, '--port', '0'],
    cwd: home.path,
  });
  const { code } = await run.exited;
  home.remove();

  expect(code).toBe(3);
  const places = [...run.output().matchAll(/switchyard\.yaml:(\d+):\d+/g)].map(([, line]) => Number(line));
  expect(places).toEqual([2, 3, 5, 7, 9]);
  expect(run.output(), 'the nearest key').toContain('server.port');
});
