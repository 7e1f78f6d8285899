import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, type Replica, startCluster } from '@switchyard/dev-env/cluster';
import { type FakeFleet, startFakeFleet } from '@switchyard/dev-env/fake-fleet';
import { HttpSession } from '@switchyard/dev-env/http-session';
import type { Database } from '@switchyard/server/platform/database/database';
import { openDatabase } from '@switchyard/server/platform/database/open';
import { sql } from 'kysely';
import { workflows } from '../graphs/workflows.ts';
import { signedInAsAdmin } from './bench-sign-in.ts';

const workers = 4;
/** The time for which a task is at work on its worker. */
const taskMs = 1_000;
const graph = join(import.meta.dirname, '../graphs/tokens.ts:slow');
const account = { email: 'bench@example.com', password: 'measures all day long' };
const pollMs = 20;
/** A measure that waits longer has hung. */
const maxWaitMs = 60_000;

/** Three replicas behind nginx on durable Postgres and Redis, workers, and a client that knows only the address of nginx. */
export class TakeOverBench {
  readonly cluster: Cluster;
  readonly #fleet: FakeFleet;
  readonly #headers: Record<string, string>;
  /** Conversations take an access token. */
  readonly #talking: Record<string, string>;
  /** For what no answer says: who works on a run. */
  readonly #database: Database<unknown>;

  private constructor(parts: {
    cluster: Cluster;
    fleet: FakeFleet;
    database: Database<unknown>;
    token: string;
    accessToken: string;
  }) {
    this.cluster = parts.cluster;
    this.#fleet = parts.fleet;
    this.#database = parts.database;
    this.#headers = { authorization: `Bearer ${parts.token}`, 'content-type': 'application/json' };
    this.#talking = { 'x-api-key': parts.accessToken, 'content-type': 'application/json' };
  }

  static async start(): Promise<TakeOverBench> {
    const fleet = await startFakeFleet(workers, { outputBytes: 500 });
    await fleet.behave({ runMs: taskMs });
    const cluster = await startCluster({
      replicas: 3,
      isDurable: true,
      env: {
        SWITCHYARD__DISPATCH__WORKERS: fleet.ports.map((port) => `127.0.0.1:${port}`).join(','),
        SWITCHYARD__AGENTS: `slow=${graph}`,
        SWITCHYARD__OBSERVABILITY__LOG__LEVEL: 'warn',
      },
    });
    const token = await signedInAsAdmin(cluster.url, cluster.sharedHome);
    const session = await HttpSession.register(cluster.url, account);
    const { token: accessToken } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
      name: 'bench',
      scopes: ['conversation:read', 'conversation:write'],
    });
    const database = await openDatabase({ backend: 'postgres', url: cluster.databaseUrl, poolSize: 1 });
    return new TakeOverBench({ cluster, fleet, database, token, accessToken });
  }

  /** The replica that places tasks. */
  dispatcher(): Promise<Replica> {
    return this.#holder(async () => 'dispatch');
  }

  /** The replica that works on a run. */
  ownerOf({ runId }: { runId: string }): Promise<Replica> {
    return this.#holder(async () => {
      const asked = sql<{ worker_id: string | null }>`select worker_id from runs where run_id = ${runId}`;
      const { rows } = await asked.execute(this.#database.read);
      return `runs:${rows[0]?.worker_id}`;
    });
  }

  /** Sends a task, again when the request is lost with its replica. */
  async submit(): Promise<string> {
    const body = { workflow: workflows[0], params: {} };
    const { data } = await this.#until(() => this.#ask<{ data: { id: string } }>('/api/tasks', { body }));
    return data.id;
  }

  /** Resolves when the client sees that a worker has the task. */
  async begun(id: string): Promise<void> {
    await this.#untilTask(id, ['running', 'completed']);
  }

  async completed(id: string): Promise<void> {
    await this.#untilTask(id, ['completed']);
  }

  async startRun(): Promise<{ threadId: string; runId: string }> {
    const headers = this.#talking;
    const { thread_id: threadId } = await this.#ask<{ thread_id: string }>('/api/threads', {
      headers,
      body: {},
    });
    const { run_id: runId } = await this.#ask<{ run_id: string }>(`/api/threads/${threadId}/runs`, {
      headers,
      body: {
        assistant_id: 'slow',
        input: { messages: [{ role: 'user', content: 'count' }] },
        stream_mode: ['messages-tuple'],
      },
    });
    return { threadId, runId };
  }

  /** The stream of a run, through nginx. */
  openStream(
    { threadId, runId }: { threadId: string; runId: string },
    { lastId, signal }: { lastId: string; signal: AbortSignal },
  ): Promise<Response> {
    const headers = { ...this.#talking, ...(lastId !== '' && { 'last-event-id': lastId }) };
    const path = `/api/threads/${threadId}/runs/${runId}/stream`;
    return fetch(new URL(path, this.cluster.url), { headers, signal });
  }

  async cancelRun({ threadId, runId }: { threadId: string; runId: string }): Promise<void> {
    const answer = await fetch(
      new URL(`/api/threads/${threadId}/runs/${runId}/cancel?wait=1`, this.cluster.url),
      { method: 'POST', headers: this.#talking, body: '{}' },
    );
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`The run could not be cancelled: ${answer.status}.`);
  }

  /** Resolves when every replica answers, and nginx asks all of them again. */
  async settled(): Promise<void> {
    await this.dispatcher();
    await sleep(nginxForgetsMs);
  }

  async close(): Promise<void> {
    await this.#database.close();
    await this.cluster.stop();
    await this.#fleet.close();
  }

  /** The replica that holds this lease, as it says itself. */
  #holder(keyOf: () => Promise<string>): Promise<Replica> {
    return this.#until(async () => {
      const wanted = await keyOf();
      for (const replica of this.cluster.replicas) {
        const { data } = await this.#ask<{ data: { replicas: Holder[] } }>('/api/system', {
          at: replica.url,
        });
        const own = data.replicas.find(({ isThis }) => isThis);
        if (own?.holds.some(({ key }) => key === wanted)) return replica;
      }
      return undefined;
    });
  }

  async #untilTask(id: string, statuses: readonly string[]): Promise<void> {
    await this.#until(async () => {
      const { data } = await this.#ask<{ data: { status: string } }>(`/api/tasks/${id}`);
      if (data.status === 'failed') throw new TaskFailed(`The task ${id} has failed.`);
      return statuses.includes(data.status) || undefined;
    });
  }

  /** A request that fails, because its replica goes away, is sent again. */
  async #until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
    const deadline = performance.now() + maxWaitMs;
    let last: unknown;
    while (performance.now() < deadline) {
      try {
        const found = await look();
        if (found !== undefined) return found;
      } catch (error) {
        if (error instanceof TaskFailed) throw error;
        last = error;
      }
      await sleep(pollMs);
    }
    throw new Error('What the measure waits for has not come.', { cause: last });
  }

  async #ask<Answer>(
    path: string,
    {
      at = this.cluster.url,
      headers = this.#headers,
      body,
    }: { at?: string; headers?: Record<string, string>; body?: object } = {},
  ): Promise<Answer> {
    const answer = await fetch(new URL(path, at), {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text) as Answer;
  }
}

/** As deploy/cluster/nginx.conf says. */
const nginxForgetsMs = 2_000;

class TaskFailed extends Error {}

interface Holder {
  isThis: boolean;
  holds: { key: string }[];
}
