import type {
  AgentRunEnd,
  AgentRunner,
  AgentRunRequest,
  AgentRunTools,
  StateView,
} from '../src/agents/run-contract/agent-run.ts';
import { type Deferred, newDeferred } from '../src/lib/async/deferred.ts';

/** A run that has begun and that the test controls. */
export class ScriptedRun {
  readonly request: AgentRunRequest;
  readonly tools: AgentRunTools;
  readonly #end: Deferred<AgentRunEnd>;

  constructor(request: AgentRunRequest, tools: AgentRunTools, end: Deferred<AgentRunEnd>) {
    this.request = request;
    this.tools = tools;
    this.#end = end;
  }

  get runId(): string {
    return this.request.runId;
  }

  succeed(values: Record<string, unknown> = {}, more: Partial<StateView> = {}): void {
    this.#end.resolve({ outcome: 'done', state: stateOf(values, more), rest: [] });
  }

  fail(name: string, message: string, values: Record<string, unknown> = {}): void {
    this.#end.resolve({ outcome: 'failed', error: { name, message }, state: stateOf(values) });
  }

  break(error: unknown): void {
    this.#end.reject(error);
  }
}

/** An agent runtime for tests: runs end when the test decides it, or when they are stopped. */
export class ScriptedRunner implements AgentRunner {
  readonly begun: ScriptedRun[] = [];
  readonly #waiting: Deferred<ScriptedRun>[] = [];
  readonly #untaken: ScriptedRun[] = [];
  /** Runs ignore the signal to stop. */
  isDeaf = false;

  async run(request: AgentRunRequest, tools: AgentRunTools): Promise<AgentRunEnd> {
    const end = newDeferred<AgentRunEnd>();
    const run = new ScriptedRun(request, tools, end);
    this.begun.push(run);
    const onAbort = (): void => {
      if (!this.isDeaf) end.reject(tools.signal.reason);
    };
    tools.signal.addEventListener('abort', onAbort, { once: true });
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve(run);
    else this.#untaken.push(run);
    return end.promise;
  }

  /** Returns the next run that begins, and each run only once. */
  next(): Promise<ScriptedRun> {
    const run = this.#untaken.shift();
    if (run) return Promise.resolve(run);
    const waiting = newDeferred<ScriptedRun>();
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  /** Number of runs that began and that the test has not taken yet. */
  get unseen(): number {
    return this.#untaken.length;
  }
}

export function stateOf(values: Record<string, unknown>, more: Partial<StateView> = {}): StateView {
  return { values, next: [], interrupts: {}, checkpointId: null, ...more };
}
