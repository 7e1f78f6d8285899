/** The compose files of `deploy`, started as they are by docker-compose in containers of podman. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ComposeProject, DockerInterface } from './compose-project.ts';
import { buildImage, packPackage } from './gateway-image.ts';
import { podman } from './podman.ts';
import { standIns } from './stand-ins.ts';

const image = 'localhost/switchyard-try-compose';
let docker: DockerInterface;

beforeAll(async () => {
  await packPackage();
  await buildImage(image);
  docker = await DockerInterface.start();
});
afterAll(async () => {
  await docker?.stop();
  await podman('rmi', '--force', image);
  await podman('image', 'prune', '--force');
});

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

async function credentials(container: string, folder: string): Promise<{ email: string; password: string }> {
  const text = await podman('exec', container, 'cat', `${folder}/admin_initial_credentials.txt`);
  const [, email = '', password = ''] = /^email: (.+)\npassword: (.+)$/m.exec(text) ?? [];
  return { email, password };
}

describe('compose.yaml', () => {
  let project: ComposeProject;
  let url: string;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    project = new ComposeProject(docker, 'compose.yaml', { PORT: port, SWITCHYARD_IMAGE: image });
    await project.down('--volumes');
  });
  afterAll(() => project.down('--volumes'));

  it('starts a gateway to which strangers cannot add an account, and keeps it when it is taken down', async () => {
    await project.up();
    await project.untilWell('gateway');
    const admin = await credentials(project.container('gateway'), '/data');
    await HttpSession.login(url, admin);
    const stranger = { email: 'eve@example.com', password: 'correct horse battery' };
    await expect(HttpSession.register(url, stranger)).rejects.toThrow('403');

    await project.down();
    await project.up();
    await project.untilWell('gateway');
    await HttpSession.login(url, admin);
  });
});

describe('compose.cluster.yaml', () => {
  let project: ComposeProject;
  let url: string;
  let variables: Record<string, string>;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const secret = (): string => randomBytes(24).toString('hex');
    variables = {
      PORT: port,
      PUBLIC_URL: url,
      POSTGRES_PASSWORD: secret(),
      REDIS_PASSWORD: secret(),
      JWT_SECRET: secret(),
      SWITCHYARD_IMAGE: image,
      ...(await standIns()),
    };
    project = new ComposeProject(docker, 'compose.cluster.yaml', variables);
    await project.down('--volumes');
  });
  afterAll(() => project.down('--volumes'));

  it.each(['PUBLIC_URL', 'POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'JWT_SECRET'])(
    'does not start without %s',
    async (name) => {
      const { [name]: _, ...others } = variables;
      const { code, output } = await new ComposeProject(docker, 'compose.cluster.yaml', others).call(
        'config',
      );
      expect(code).not.toBe(0);
      expect(output).toContain(name);
    },
  );

  it('starts three replicas behind nginx, of which one can be away while the others answer', async () => {
    await project.up();
    const session = await HttpSession.login(
      url,
      await credentials(project.container('replica-2'), '/shared'),
    );
    const replicas = async (): Promise<number> => {
      const report = await session.get<{ data: { replicas: unknown[] } }>('/api/system');
      return report.data.replicas.length;
    };
    await expect.poll(replicas).toBe(3);

    const second = project.container('replica-2');
    await podman('stop', second);
    expect(await podman('inspect', '--format', '{{.State.ExitCode}}', second)).toBe('0');
    await expect.poll(replicas).toBe(2);
    await podman('start', second);
    await expect.poll(replicas).toBe(3);
  });
});
