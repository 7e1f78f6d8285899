import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeFleet, startFakeFleet } from '@switchyard/dev-env/fake-fleet';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { workflows } from './graphs/workflows.ts';
import { httpCall } from './http-call.ts';
import { TaskEnds } from './task-ends.ts';

interface BenchOptions {
  workers: number;
  runMs?: number;
  outputBytes?: number;
  keepsArrivals?: boolean;
  /** A home that is there already, and stays. */
  home?: string;
  /** Further settings of the gateway. */
  env?: Record<string, string>;
}

/** These graphs take a fake worker no time, and the gateway handles them like any other. */
const bodies = workflows.map((workflow) => JSON.stringify({ workflow, params: {} }));

/** The built gateway on SQLite, a fleet of fake workers in another process, and this process as the client. */
export class DispatchBench {
  readonly fleet: FakeFleet;
  gateway: SpawnedGateway;
  readonly token: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #removeHome: () => void;
  readonly #env: Record<string, string>;
  /** Where tasks are sent, in turn. */
  readonly #urls: string[];
  #submitted = 0;
  #ends: TaskEnds | undefined;
  #isKilled = false;

  private constructor(
    parts: Pick<DispatchBench, 'fleet' | 'gateway' | 'token'> & { env: Record<string, string> },
    removeHome: () => void,
  ) {
    this.fleet = parts.fleet;
    this.#env = parts.env;
    this.gateway = parts.gateway;
    this.token = parts.token;
    this.#urls = [parts.gateway.url];
    this.#removeHome = removeHome;
  }

  static async start({ workers, home: given, env = {}, ...options }: BenchOptions): Promise<DispatchBench> {
    const home = given ? { path: given, remove: () => undefined } : temporaryFolder();
    const fleet = await startFakeFleet(workers, options);
    const settings = {
      SWITCHYARD__DISPATCH__WORKERS: fleet.ports.map((port) => `127.0.0.1:${port}`).join(','),
      ...env,
    };
    const gateway = await SpawnedGateway.start({ home: home.path, env: settings });
    const token = await login(gateway.url, env.SWITCHYARD__FILES__SHARED_HOME ?? home.path);
    const bench = new DispatchBench({ fleet, gateway, token, env: settings }, home.remove);
    await bench.#untilIdle();
    return bench;
  }

  /** Sends tasks to this replica as well. */
  alsoAt(url: string): void {
    this.#urls.push(url);
  }

  /** Returns the id of the task once it is accepted. Each submit takes the next of the graphs. */
  async submit(): Promise<string> {
    const body = bodies[this.#submitted % bodies.length];
    const url = this.#urls[this.#submitted % this.#urls.length];
    this.#submitted += 1;
    const { data } = await this.#call<{ data: { id: string } }>('POST', '/api/tasks', { content: body, url });
    return data.id;
  }

  /**
   * Submits over HTTP with this number of parallel requests, and returns the ended tasks per second, from the first
   * submit until the client has heard by push that the last one has ended.
   */
  async rate(tasks: number, atOnce = 16): Promise<number> {
    this.#ends ??= await TaskEnds.open(this.gateway.url, this.token);
    const over = this.#ends.until(this.#ends.count + tasks);
    const started = performance.now();
    let left = tasks;
    const lane = async (): Promise<void> => {
      while (left-- > 0) await this.submit();
    };
    await Promise.all([over, ...Array.from({ length: atOnce }, lane)]);
    return (tasks / (performance.now() - started)) * 1_000;
  }

  get<Answer>(path: string): Promise<Answer> {
    return this.#call<Answer>('GET', path);
  }

  get databaseFile(): string {
    return join(this.gateway.home, 'data', 'switchyard.db');
  }

  /** Kills the gateway: data that was not durable is lost. */
  async kill(): Promise<void> {
    if (this.#isKilled) return;
    this.#isKilled = true;
    this.#ends?.close();
    await this.gateway.kill9();
  }

  /** Kills the gateway and starts it again with what it has stored. */
  async restart(): Promise<void> {
    await this.kill();
    this.gateway = await SpawnedGateway.start({ home: this.gateway.home, env: this.#env });
    this.#urls.splice(0, this.#urls.length, this.gateway.url);
    this.#ends = undefined;
    this.#isKilled = false;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.kill();
    await this.fleet.close();
    this.#removeHome();
  }

  async #untilIdle(): Promise<void> {
    for (;;) {
      const { data } = await this.get<{ data: { state: string }[] }>('/api/instances');
      if (data.length === this.fleet.ports.length && data.every(({ state }) => state === 'idle')) return;
      await sleep(50);
    }
  }

  async #call<Answer>(
    method: string,
    path: string,
    { content, url = this.gateway.url }: { content?: string | undefined; url?: string | undefined } = {},
  ): Promise<Answer> {
    const answer = await httpCall(this.#agent, {
      method,
      url: new URL(path, url),
      headers: { authorization: `Bearer ${this.token}` },
      body: content,
    });
    return JSON.parse(answer.toString()) as Answer;
  }
}

/** The credentials of the administrator lie where all replicas see them. */
async function login(url: string, home: string): Promise<string> {
  const credentials = readFileSync(join(home, 'admin_initial_credentials.txt'), 'utf8');
  const password = /^password: (.*)$/m.exec(credentials)?.[1];
  const answer = await fetch(new URL('/api/auth/login', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
  const { data } = (await answer.json()) as { data: { token: string } };
  return data.token;
}
