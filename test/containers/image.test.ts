/** The image of `deploy/Dockerfile`, built and started as the guide says: by podman, in containers with everything that separates them. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildImage, packPackage, repository } from './gateway-image.ts';
import { podman, tryPodman } from './podman.ts';

const call = promisify(execFile);
const image = 'localhost/switchyard-gateway';
const examples = '/opt/switchyard/node_modules/switchyard-gateway/examples';
const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
const laterVersion = '99.0.0';

interface FinishedTask {
  id: string;
  result: { outputs: { url: string }[] };
}

/** As strict as the guide has it, and without the temporary folders that podman adds to a read-only root. */
const strict = [
  ...['--read-only', '--read-only-tmpfs=false', '--cap-drop', 'ALL'],
  ...['--security-opt', 'no-new-privileges', '--publish', '127.0.0.1::7300', '--stop-timeout', '35'],
];

describe('the image', () => {
  const folder = temporaryFolder();
  const volume = 'switchyard-try-image';
  const containers = new Set<string>();
  /** What the first container made, which every later one has to have. */
  let made: { task: string; output: string; picture: Buffer };

  beforeAll(async () => {
    const tarball = await packPackage();
    await podman('volume', 'rm', '--force', volume);
    await buildImage(`${image}:${version}`);
    await buildImage(`${image}:${laterVersion}`, {
      context: await laterContext(tarball, folder.path),
      args: ['--build-arg', `VERSION=${laterVersion}`],
    });
  });
  afterEach(async () => {
    for (const name of containers) await podman('rm', '--force', '--time', '35', name);
    containers.clear();
  });
  afterAll(async () => {
    await podman('volume', 'rm', '--force', volume);
    await podman('rmi', '--force', `${image}:${version}`, `${image}:${laterVersion}`);
    await podman('image', 'prune', '--force');
    folder.remove();
  });

  /** Starts a container and returns its id when its health check is content. */
  async function start(...args: string[]): Promise<string> {
    const id = await podman('run', '--detach', ...strict, '--volume', `${volume}:/data`, ...args);
    containers.add(id);
    await expect.poll(() => health(id)).toBe(0);
    return id;
  }

  const health = async (id: string): Promise<number | null> =>
    (await tryPodman(['healthcheck', 'run', id])).code;
  const exec = (id: string, ...args: string[]): Promise<string> => podman('exec', id, ...args);

  it('says of itself what it is', async () => {
    const [{ Config: config }] = JSON.parse(await podman('image', 'inspect', `${image}:${version}`));
    expect(config).toMatchObject({
      User: '10001:10001',
      Volumes: { '/data': {} },
      Entrypoint: ['switchyard'],
      Labels: {
        'org.opencontainers.image.title': 'Switchyard',
        'org.opencontainers.image.licenses': 'Apache-2.0',
        'org.opencontainers.image.version': version,
      },
    });
    expect(await podman('run', '--rm', `${image}:${version}`, 'version')).toContain(`switchyard ${version}`);
  });

  it('makes its first picture by the command line, on a read-only root, without a right of root', async () => {
    const id = await start(`${image}:${version}`);
    expect(await exec(id, 'cat', '/proc/1/comm')).toBe('node');
    expect(await exec(id, 'sh', '-c', 'grep CapEff /proc/1/status')).toMatch(/\s0+$/);
    expect((await tryPodman(['exec', id, 'touch', '/tmp/x'])).stderr).toContain('Read-only file system');

    const credentials = await exec(id, 'cat', '/data/admin_initial_credentials.txt');
    const [, email = '', password = ''] = /^email: (.+)\npassword: (.+)$/m.exec(credentials) ?? [];
    const login = await tryPodman(
      ['exec', '--interactive', id, 'switchyard', 'login', '--email', email, '--password-stdin'],
      `${password}\n`,
    );
    expect(login, login.stderr).toMatchObject({ code: 0 });
    await exec(id, 'switchyard', 'run', `${examples}/workflows/batch-invert.json`, '-o', '/data/pictures');
    made = await finishedTask(id);
    expect(made.picture.subarray(1, 4).toString()).toBe('PNG');
  });

  it('ends with code 0 when it is asked to stop, and is the same gateway when it starts again', async () => {
    const id = await start(`${image}:${version}`);
    // podman kills after 35 seconds, and then the code is 137.
    await podman('stop', id);
    expect(await podman('inspect', '--format', '{{.State.ExitCode}}', id)).toBe('0');
    await podman('start', id);
    await expect.poll(() => health(id)).toBe(0);
    expect(await finishedTask(id)).toEqual(made);
  });

  it('goes on in a new container of a later version, which has the dependencies in common', async () => {
    const id = await start(`${image}:${laterVersion}`);
    expect(await finishedTask(id)).toEqual(made);
    const layers = async (tag: string): Promise<string[]> =>
      JSON.parse(await podman('image', 'inspect', '--format', '{{json .RootFS.Layers}}', `${image}:${tag}`));
    const [before, after] = [await layers(version), await layers(laterVersion)];
    // That of the base, and that of the dependencies. The gateway itself is the third.
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after[2]).not.toBe(before[2]);
  });

  it('runs as another user once the volume belongs to it', async () => {
    const chown = ['--user', '0', '--entrypoint', 'chown', '--volume', `${volume}:/data`];
    await podman('run', '--rm', ...chown, `${image}:${version}`, '--recursive', '4242:4242', '/data');
    const id = await start('--user', '4242:4242', `${image}:${version}`);
    expect(await exec(id, 'id', '--user')).toBe('4242');
    expect(await finishedTask(id)).toEqual(made);
  });

  it('serves the graphs of a folder that is mounted below its own, with its own LangGraph', async () => {
    const graphs = `${join(repository, 'examples/agents')}:/opt/switchyard/agent:ro`;
    const own = ['--volume', graphs, '--workdir', '/opt/switchyard/agent', '--user', '4242:4242'];
    const id = await start(...own, `${image}:${version}`);
    const log = async (): Promise<string> => (await tryPodman(['logs', id])).stderr;
    await expect.poll(log).toContain('Agents    notes, approval (');
  });

  it('is not well while no gateway answers', async () => {
    const idle = ['--entrypoint', 'node', `${image}:${version}`, '-e', 'setInterval(() => {}, 60_000)'];
    const id = await podman('run', '--detach', ...strict, ...idle);
    expect(await health(id)).toBe(1);
    await podman('rm', '--force', '--time', '0', id);
  });

  /** Reads over the published address, with the token that the first login left in the volume. */
  async function finishedTask(id: string): Promise<typeof made> {
    const address = await podman('port', id, '7300');
    expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
    const headers = { authorization: `Bearer ${await exec(id, 'switchyard', 'token')}` };
    const answer = await fetch(`http://${address}/api/tasks?status=completed`, { headers });
    const { data } = (await answer.json()) as { data: { items: FinishedTask[] } };
    expect(data.items).toHaveLength(1);
    const [{ id: task, result }] = data.items as [FinishedTask];
    const { pathname: output, search } = new URL(result.outputs[0]?.url ?? '', `http://${address}`);
    const picture = await fetch(`http://${address}${output}${search}`, { headers });
    expect(picture.status).toBe(200);
    return { task, output, picture: Buffer.from(await picture.arrayBuffer()) };
  }
});

/** Makes a place to build from, whose package has the same content and a later version. */
async function laterContext(tarball: string, folder: string): Promise<string> {
  const context = join(folder, 'later');
  const target = join(context, '.build/package');
  mkdirSync(target, { recursive: true });
  cpSync(join(repository, '.dockerignore'), join(context, '.dockerignore'));
  await call('tar', ['--extract', '--file', tarball, '--directory', folder]);
  const manifest = join(folder, 'package/package.json');
  const content = JSON.parse(readFileSync(manifest, 'utf8')) as object;
  writeFileSync(manifest, JSON.stringify({ ...content, version: laterVersion }));
  await call('npm', ['pack', '--pack-destination', target], { cwd: join(folder, 'package') });
  return context;
}
