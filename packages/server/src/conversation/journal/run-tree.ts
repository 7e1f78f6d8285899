import type { RunRow } from '../tables.ts';

/** The place of a run among the others of its thread, as its row has it. */
export interface PlacedRun {
  runId: string;
  status: RunRow['status'];
  /** The state at its end; null while it goes on, and for a run that never began. */
  checkpointId: string | null;
  isOpen: boolean;
  createdAt: string;
}

/** The references to other runs in the metadata of a run. */
export interface RunMarks {
  runId: string;
  status: string;
  /** The run whose answer it gives once more. */
  sourceRunId: string | null;
  /** `edit`: the question was changed too. `version`: it takes the place of its source at once, and the source stays a version. */
  replayKind: string | null;
  /** The run from whose state it goes on, where that is not the newest state of the thread. */
  continuesFrom: string | null;
}

/**
 * The runs of a thread as a tree. A run stands below the one that it goes on from, so runs below the same one are versions of an
 * answer, and a conversation is a way from the beginning to a run without any below it.
 */
export class RunTree {
  readonly #runs = new Map<string, PlacedRun>();
  readonly #parents = new Map<string, string | null>();
  readonly #marks: ReadonlyMap<string, RunMarks>;
  /** The end of the conversation that the newest state of the thread belongs to. */
  readonly newest: string | null;

  /** The runs come in the order of their admission. */
  constructor(runs: readonly PlacedRun[], marks: readonly RunMarks[]) {
    this.#marks = new Map(marks.map((mark) => [mark.runId, mark]));
    let newest: string | null = null;
    for (const run of runs) {
      const parent = this.#parentOf(run, newest);
      this.#runs.set(run.runId, run);
      this.#parents.set(run.runId, parent);
      const failedEdit = this.#sourceOfFailedEdit(run);
      if (failedEdit !== null) newest = failedEdit;
      else if (hasState(run) || parent === newest) newest = run.runId;
    }
    this.newest = newest;
  }

  has(runId: string): boolean {
    return this.#runs.has(runId);
  }

  /** The run and those that led to it. */
  lineOf(runId: string | null): Set<string> {
    const line = new Set<string>();
    for (let next = runId; next !== null; next = this.#parents.get(next) ?? null) line.add(next);
    return line;
  }

  /** The end of the newest conversation that this run is part of. */
  endOf(runId: string): string {
    if (this.lineOf(this.newest).has(runId)) return this.newest ?? runId;
    const below = new Set([runId]);
    let end = runId;
    for (const [id, run] of this.#runs) {
      const parent = this.#parents.get(id) ?? null;
      if (parent === null || !below.has(parent)) continue;
      below.add(id);
      if (hasState(run) || parent === end) end = id;
    }
    return end;
  }

  /** The state with which the conversation that ends with this run goes on; null while the run is open, and where none is stored. */
  stateAt(runId: string): string | null {
    if (this.#runs.get(runId)?.isOpen) return null;
    for (const id of this.lineOf(runId)) {
      const { checkpointId = null } = this.#runs.get(id) ?? {};
      if (checkpointId !== null) return checkpointId;
    }
    return null;
  }

  /** Runs that go on from the same place, the oldest first, wherever there are several. */
  versions(): PlacedRun[][] {
    const below = new Map<string | null, PlacedRun[]>();
    for (const [id, run] of this.#runs) {
      const parent = this.#parents.get(id) ?? null;
      below.set(parent, [...(below.get(parent) ?? []), run]);
    }
    return [...below.values()].filter((runs) => runs.length > 1);
  }

  /** The runs that are not part of the conversation that ends with this one. */
  hiddenFrom(runId: string | null): Set<string> {
    const line = this.lineOf(runId);
    const others = [...this.#runs.keys()].filter((id) => !line.has(id));
    // The turns that a branch has copied have no rows.
    const copied = [...line].flatMap((id) => this.#marks.get(id)?.sourceRunId ?? []);
    return new Set([...others, ...copied.filter((id) => !this.#runs.has(id))]);
  }

  #parentOf(run: PlacedRun, newest: string | null): string | null {
    const { continuesFrom = null, sourceRunId = null, replayKind = null } = this.#marks.get(run.runId) ?? {};
    if (continuesFrom !== null && this.has(continuesFrom)) return continuesFrom;
    if (sourceRunId === null || !this.has(sourceRunId)) return newest;
    // An attempt to give an answer once more stands behind it until it succeeds, unless the attempt is a version itself.
    const takesPlace = replayKind !== null || run.status === 'success';
    return takesPlace ? (this.#parents.get(sourceRunId) ?? null) : sourceRunId;
  }

  /** After an edit that has failed, its source is shown again. */
  #sourceOfFailedEdit({ runId, status, isOpen }: PlacedRun): string | null {
    const { sourceRunId = null, replayKind = null } = this.#marks.get(runId) ?? {};
    if (replayKind !== 'edit' || isOpen || status === 'success') return null;
    return sourceRunId !== null && this.has(sourceRunId) ? sourceRunId : null;
  }
}

/** The newest state is that of the last run which has one, or will have one. */
function hasState({ checkpointId, isOpen }: PlacedRun): boolean {
  return isOpen || checkpointId !== null;
}
