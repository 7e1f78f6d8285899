import { once } from 'node:events';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { runBinary } from '@switchyard/dev-env/binary';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, expect, it } from 'vitest';

let home: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  home = temporaryFolder();
});

afterEach(() => home.remove());

it('starts in an empty folder, prints its address in at most 12 lines, and keeps the first password out of them', async () => {
  const gateway = await SpawnedGateway.start({
    home: home.path,
    env: { SWITCHYARD__OBSERVABILITY__LOG__LEVEL: 'silent' },
  });
  await gateway.stop();
  const banner = gateway.output().trim();
  expect(banner.split('\n').length).toBeLessThanOrEqual(12);
  expect(banner).toContain(gateway.url);
  const credentials = join(home.path, 'admin_initial_credentials.txt');
  expect(banner).toContain('admin_initial_credentials.txt');
  expect(statSync(credentials).mode & 0o777).toBe(0o600);
});

it('refuses a busy port that the user chose, with a sentence that names it', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as { port: number };
  const run = runBinary({ args: ['up', '--home', home.path, '--port', String(port)], cwd: home.path });
  const { code } = await run.exited;
  holder.close();
  expect(code).toBeGreaterThan(0);
  expect(run.output()).toContain(String(port));
  expect(run.output(), 'a sentence, not a stack').not.toMatch(/^\s+at /m);
});

it('moves up from the default port when it is busy, and says so', async () => {
  const other = temporaryFolder();
  const first = await SpawnedGateway.start({ home: home.path, args: [] });
  const second = await SpawnedGateway.start({ home: other.path, args: [] });
  const [firstPort, secondPort] = [first, second].map(({ url }) => Number(new URL(url).port));
  await Promise.all([first.stop(), second.stop()]);
  other.remove();
  expect(secondPort).toBeGreaterThan(firstPort ?? 0);
  expect(second.output()).toMatch(/7300\D+(busy|taken|in use)/i);
});

it('waits for its built-in worker at each start, before it asks whether the worker is there; logs by the level of each area', async () => {
  const env = {
    SWITCHYARD__OBSERVABILITY__LOG__LEVEL: 'warn',
    SWITCHYARD__OBSERVABILITY__LOG__LEVELS__DISPATCH: 'info',
    SWITCHYARD__OBSERVABILITY__LOG__LEVELS__HTTP: 'debug',
  };
  for (const start of ['first', 'second']) {
    const gateway = await SpawnedGateway.start({ home: home.path, env });
    await expect.poll(() => gateway.output()).toContain('"An instance answers."');
    await fetch(new URL('/api/health', gateway.url));
    await gateway.stop();
    const lines = gateway
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    const written = new Set(
      lines.map((line) => JSON.parse(line)).map(({ area, level }) => `${area} ${level}`),
    );
    expect([...written]).toEqual(expect.arrayContaining(['dispatch info', 'http debug']));
    // The others say something at each start, below the level of the whole log.
    expect(
      [...written].filter((each) => !/^(dispatch|http) /.test(each) && / (info|debug)$/.test(each)),
    ).toEqual([]);
    expect(gateway.output(), start).not.toContain('does not answer');
  }
});

it('has nothing wrong for the doctor, beside the gateway, after it was stopped and after it was killed, until something is', async () => {
  const doctor = async () => {
    const run = runBinary({ args: ['doctor', '--home', home.path, '--port', '0'], cwd: home.path });
    return { ...(await run.exited), output: run.output() };
  };
  const names = () => readdirSync(home.path, { recursive: true, encoding: 'utf8' }).sort();
  const gateway = await SpawnedGateway.start({ home: home.path });
  const beside = await doctor();
  await gateway.stop();
  const before = names();
  const stopped = await doctor();
  expect(names(), 'the doctor makes no file').toEqual(before);
  await (await SpawnedGateway.start({ home: home.path })).kill9();
  const killed = await doctor();
  chmodSync(home.path, 0o755);
  const wrong = await doctor();

  expect(beside, beside.output).toMatchObject({ code: 0 });
  expect(beside.output).toContain(`The gateway answers on ${gateway.url}`);
  expect(beside.output).toContain('The database is of this version.');
  for (const after of [stopped, killed]) {
    expect(after, after.output).toMatchObject({ code: 0 });
    expect(after.output).toContain('No gateway runs in this data home');
    expect(after.output).toContain('The database is of this version.');
  }
  expect(wrong, wrong.output).toMatchObject({ code: 8 });
  expect(wrong.output).toContain(`type: chmod o= ${home.path}`);
});
