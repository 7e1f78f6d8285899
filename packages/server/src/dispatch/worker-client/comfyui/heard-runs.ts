import type { RunEnd, RunError, RunResult } from '../worker-client.ts';
import { OutputCollector } from './output-collector.ts';

/** Of one run; beyond it what was heard is no whole any more. */
const maxOutputBytes = 32 * 1024 * 1024;

interface HeardRun {
  outputs: OutputCollector;
  outputBytes: number;
  cachedNodes: string[];
  end: { end: RunEnd; error: RunError | null } | null;
}

/** What the event socket told of own runs: the result of one whose history entry is gone. */
export class HeardRuns {
  readonly #runs = new Map<string, HeardRun>();

  begin(promptId: string): void {
    this.#runs.set(promptId, {
      outputs: new OutputCollector(),
      outputBytes: 0,
      cachedNodes: [],
      end: null,
    });
  }

  addCached(promptId: string, nodeIds: readonly string[]): void {
    this.#runs.get(promptId)?.cachedNodes.push(...nodeIds);
  }

  addOutput(
    promptId: string,
    { nodeId, output, bytes }: { nodeId: string; output: unknown; bytes: number },
  ): void {
    const run = this.#runs.get(promptId);
    if (!run) return;
    run.outputBytes += bytes;
    if (run.outputBytes > maxOutputBytes) this.#runs.delete(promptId);
    else run.outputs.add(nodeId, output);
  }

  end(promptId: string, end: RunEnd, error: RunError | null): void {
    const run = this.#runs.get(promptId);
    if (run) run.end = { end, error };
  }

  /** The socket is gone: what a run that goes on says meanwhile is not heard. */
  noteGap(): void {
    for (const [promptId, { end }] of this.#runs) if (!end) this.#runs.delete(promptId);
  }

  /** Null when it was not heard from its start to its end. */
  resultOf(promptId: string): RunResult | null {
    const run = this.#runs.get(promptId);
    if (!run?.end) return null;
    const { files, texts, rejected } = run.outputs;
    return { ...run.end, files, texts, rejected, cachedNodes: run.cachedNodes };
  }

  forget(promptId: string): void {
    this.#runs.delete(promptId);
  }

  clear(): void {
    this.#runs.clear();
  }
}
