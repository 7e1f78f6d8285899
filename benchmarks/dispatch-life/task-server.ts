import { Agent } from 'node:http';
import { chain } from '../graphs/chain.ts';
import { httpCall } from '../http-call.ts';
import { cpuTimeUs, mainThreadMs } from '../process-usage.ts';
import { percentile } from '../statistics.ts';
import { TaskEnds } from '../task-ends.ts';

export interface LifeRound {
  perSecond: number;
  /** Time of the serving process's main thread, for each task. */
  mainMs: number;
  /** Time of all threads, those of its database included, for each task. */
  processorMs: number;
  /** From the request to the frame that says that the task has ended. */
  endMsP50: number;
  endMsP99: number;
}

interface TaskServerParts {
  /** The replicas that take tasks, one after the other. The ends are heard at the first. */
  urls: readonly [string, ...string[]];
  path: string;
  pid: number;
  /** The other processes that serve, such as a database. */
  others: readonly number[];
  tokens: readonly string[];
}

const requestsAtOnce = 16;

/** A server that takes tasks over HTTP and says over a socket when they end, seen by several users at once. */
export class TaskServer {
  readonly #parts: TaskServerParts;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #ends: readonly TaskEnds[];
  #seed = 0;

  private constructor(parts: TaskServerParts, ends: readonly TaskEnds[]) {
    this.#parts = parts;
    this.#ends = ends;
  }

  static async open(parts: TaskServerParts): Promise<TaskServer> {
    return new TaskServer(
      parts,
      await Promise.all(parts.tokens.map((token) => TaskEnds.open(parts.urls[0], token))),
    );
  }

  /** Submits for the users in turn, each of which listens, until all of them have heard of all their tasks. */
  async round({ tasks, nodes }: { tasks: number; nodes: number }): Promise<LifeRound> {
    const { pid } = this.#parts;
    const users = this.#ends.length;
    const before = { mainMs: mainThreadMs(pid), processorMs: this.#processorMs() };
    const over = this.#ends.map((ends, user) =>
      ends.until(ends.count + Math.floor(tasks / users) + (user < tasks % users ? 1 : 0)),
    );
    const submitted = new Map<string, number>();
    const started = performance.now();
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < tasks) {
        const user = next % users;
        next += 1;
        const sentAt = performance.now();
        submitted.set(await this.#submit(user, nodes), sentAt);
      }
    };
    await Promise.all([...over, ...Array.from({ length: requestsAtOnce }, lane)]);
    const tookMs = performance.now() - started;
    const took = [...submitted].map(([id, sentAt]) => this.#endOf(id) - sentAt);
    return {
      perSecond: (tasks / tookMs) * 1_000,
      mainMs: (mainThreadMs(pid) - before.mainMs) / tasks,
      processorMs: (this.#processorMs() - before.processorMs) / tasks,
      endMsP50: percentile(took, 50),
      endMsP99: percentile(took, 99),
    };
  }

  close(): void {
    for (const ends of this.#ends) ends.close();
    this.#agent.destroy();
  }

  #processorMs(): number {
    const { pid, others } = this.#parts;
    return [pid, ...others].reduce((sum, each) => sum + cpuTimeUs(each), 0) / 1_000;
  }

  #endOf(id: string): number {
    for (const ends of this.#ends) {
      const at = ends.endedAt(id);
      if (at !== undefined) return at;
    }
    throw new Error(`No user has heard of the end of task ${id}.`);
  }

  async #submit(user: number, nodes: number): Promise<string> {
    const { urls, path, tokens } = this.#parts;
    // Each user comes to each replica.
    const url = urls[Math.floor(this.#seed / tokens.length) % urls.length];
    this.#seed += 1;
    const answer = await httpCall(this.#agent, {
      method: 'POST',
      url: new URL(path, url),
      headers: { authorization: `Bearer ${tokens[user]}` },
      body: JSON.stringify({ workflow: chain(nodes, this.#seed) }),
    });
    return (JSON.parse(answer.toString()) as { data: { id: string } }).data.id;
  }
}
