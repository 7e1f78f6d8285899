import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithThisProcess } from '@switchyard/dev-env/end-with-this-process';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { expect } from 'vitest';
import { repository } from './gateway-image.ts';
import { podman, podmanArguments, podmanEnvironment, tryPodman } from './podman.ts';

const deploy = join(repository, 'deploy');

const lookAgain = (): Promise<void> => sleep(50);

interface Answer {
  code: number | null;
  output: string;
}

/** podman with the interface of Docker, for docker-compose. */
export class DockerInterface {
  readonly #folder = temporaryFolder();
  readonly #service: ChildProcess;

  private constructor() {
    const args = [...podmanArguments, 'system', 'service', '--time', '0', this.address];
    this.#service = spawn('podman', args, { env: podmanEnvironment(), stdio: 'ignore' });
    endWithThisProcess(this.#service, 'TERM');
  }

  static async start(): Promise<DockerInterface> {
    const service = new DockerInterface();
    while (!existsSync(service.#socket)) {
      if (service.#service.exitCode !== null) throw new Error('podman system service ended at once.');
      await lookAgain();
    }
    return service;
  }

  get address(): string {
    return `unix://${this.#socket}`;
  }

  get #socket(): string {
    return join(this.#folder.path, 'podman.sock');
  }

  async stop(): Promise<void> {
    const ended = once(this.#service, 'exit');
    this.#service.kill('SIGTERM');
    await ended;
    this.#folder.remove();
  }
}

/** One file of `deploy`, started by docker-compose under a name of its own. */
export class ComposeProject {
  readonly #docker: DockerInterface;
  readonly #name: string;
  readonly #variables: Record<string, string>;
  /** Debian's docker-compose is older than the name of a project in its file. */
  readonly #text: string;

  constructor(docker: DockerInterface, file: string, variables: Record<string, string>) {
    const text = readFileSync(join(deploy, file), 'utf8');
    this.#docker = docker;
    this.#name = `try-${file.replace(/\W/g, '')}`;
    this.#variables = variables;
    this.#text = text.replace(/^name: .*$/m, '');
  }

  container(service: string): string {
    return `${this.#name}_${service}_1`;
  }

  async call(...args: string[]): Promise<Answer> {
    const child = spawn('docker-compose', ['--file', '-', '--project-name', this.#name, ...args], {
      cwd: deploy,
      env: { ...podmanEnvironment(), DOCKER_HOST: this.#docker.address, ...this.#variables },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-16_000);
      });
    // It may refuse its options before it reads the file.
    child.stdin.on('error', () => undefined);
    child.stdin.end(this.#text);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  }

  /** podman leaves the repetition of health checks to systemd. This asks in its place, for `depends_on`. */
  async up(): Promise<void> {
    let isUp = false;
    const started = this.call('up', '--detach', '--no-build').finally(() => {
      isUp = true;
    });
    while (!isUp) {
      const names = (await podman('ps', '--format', '{{.Names}}')).split('\n');
      for (const name of names.filter((each) => each.startsWith(this.#name)))
        await tryPodman(['healthcheck', 'run', name]);
    }
    const { code, output } = await started;
    expect(code, output).toBe(0);
  }

  async untilWell(service: string): Promise<void> {
    const name = this.container(service);
    try {
      await expect.poll(async () => (await tryPodman(['healthcheck', 'run', name])).code).toBe(0);
    } catch (error) {
      throw new Error(`${service} did not become well:\n${await podman('logs', '--tail', '20', name)}`, {
        cause: error,
      });
    }
  }

  async down(...args: string[]): Promise<void> {
    const { code, output } = await this.call('down', ...args);
    expect(code, output).toBe(0);
  }
}
