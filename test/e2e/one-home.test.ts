import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBinary } from '@switchyard/dev-env/binary';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { expect, it } from 'vitest';

const processes = 10;

it('lets one of ten processes serve an empty data home; nine end and name the holder', async () => {
  const home = temporaryFolder();
  const runs = Array.from({ length: processes }, () =>
    runBinary({ args: ['up', '--home', home.path, '--port', '0'], cwd: home.path }),
  );
  let gone = 0;
  const nineGone = new Promise<void>((resolve) => {
    for (const run of runs) run.exited.then(() => ++gone === processes - 1 && resolve(), resolve);
  });
  await nineGone;

  const { url, pid } = await readAddress(home.path);
  expect((await fetch(new URL('/readyz', url))).status).toBe(200);
  const losers = runs.filter(({ child }) => child.pid !== pid);
  expect(losers).toHaveLength(processes - 1);
  for (const loser of losers) {
    const { code } = await loser.exited;
    expect(code, loser.output()).toBeGreaterThan(0);
    expect(loser.output()).toContain(String(pid));
    expect(loser.output(), 'a sentence, not a stack').not.toMatch(/^\s+at /m);
  }

  const winner = runs.find(({ child }) => child.pid === pid);
  winner?.child.kill('SIGTERM');
  expect(await winner?.exited).toEqual({ code: 0, signal: null });
  home.remove();
});

/** The winner writes its address when it is ready, which may be after the last loser left. */
async function readAddress(home: string): Promise<{ url: string; pid: number }> {
  for (;;) {
    try {
      return JSON.parse(readFileSync(join(home, 'gateway.json'), 'utf8'));
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
