import { setTimeout as delay } from 'node:timers/promises';

/** Faults of real workers, each behind a switch, so that a dispatcher can be tested against them. */
export interface FaultSwitches {
  /** ComfyUI's reconnect bug: when an older socket of a client id closes, the newer one receives nothing any more. */
  deafSockets: boolean;
  /** Sockets stay open and answer pings, but no frame is sent. */
  muteSockets: boolean;
  /** The executor stops for good while HTTP goes on: before the next prompt starts, or inside its first node. */
  zombie: 'never' | 'before_start' | 'mid_run';
  /** Each node waits before its work until the switch is off or the prompt is interrupted. */
  holdNodes: boolean;
  /** The time between `execution_success` and the history entry. */
  historyDelayMs: number;
  /** The next node (of that class) fails like this. */
  nodeError: { classType?: string; type: string; message: string } | null;
  /** File names that a hostile worker would send. */
  outputNames: { filename?: string; subfolder?: string } | null;
  /** The script of a custom node, which the page of the worker runs; none when it is empty. */
  pageScript: string;
  http: HttpFault[];
}

export interface HttpFault {
  method?: string;
  /** The path without `/api`. `/history` also covers `/history/{id}`. When absent: every path. */
  path?: string;
  /**
   * garbage: 200 with bytes that are not JSON · trickle: headers, then a byte now and then, for ever · hang: never an
   * answer · lose_response: the work is done, the connection is cut instead of the answer · reset: cut before the work
   * · status: that status and nothing else.
   */
  effect: 'garbage' | 'trickle' | 'hang' | 'lose_response' | 'reset' | 'status';
  status?: number;
  /** The number of times that the fault occurs; without a number it occurs every time. */
  times?: number;
}

const healthy: FaultSwitches = {
  deafSockets: false,
  muteSockets: false,
  zombie: 'never',
  holdNodes: false,
  historyDelayMs: 0,
  nodeError: null,
  outputNames: null,
  pageScript: '',
  http: [],
};

export class Faults {
  #switches: FaultSwitches = structuredClone(healthy);
  #waiters: (() => void)[] = [];

  get switches(): Readonly<FaultSwitches> {
    return this.#switches;
  }

  set(change: Partial<FaultSwitches>): void {
    this.#switches = { ...this.#switches, ...structuredClone(change) };
    for (const wake of this.#waiters.splice(0)) wake();
  }

  reset(): void {
    this.set(healthy);
  }

  takeHttpFault(method: string, path: string): HttpFault | undefined {
    const found = this.#switches.http.find(
      (fault) =>
        (fault.method === undefined || fault.method === method) &&
        (fault.path === undefined || path === fault.path || path.startsWith(`${fault.path}/`)),
    );
    if (found?.times === undefined) return found;
    found.times -= 1;
    if (found.times <= 0) this.#switches.http = this.#switches.http.filter((fault) => fault !== found);
    return found;
  }

  takeNodeError(classType: string): FaultSwitches['nodeError'] {
    const { nodeError } = this.#switches;
    if (nodeError === null || (nodeError.classType ?? classType) !== classType) return null;
    this.set({ nodeError: null });
    return nodeError;
  }

  /** Resolves when the switch is off, or when the signal aborts. */
  async waitWhile(isOn: (switches: FaultSwitches) => boolean, signal: AbortSignal): Promise<void> {
    while (isOn(this.#switches) && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#waiters.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }
}

/** Waits. An abort ends the wait early, without an error. */
export async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  if (durationMs > 0) await delay(durationMs, undefined, { signal }).catch(() => undefined);
}
