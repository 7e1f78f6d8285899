import {
  type NewSweep,
  type retriedStates,
  type Sweep,
  type SweepCell,
  type SweepDetail,
  type SweepOutlook,
  sweepLimits,
} from '@switchyard/contract/dispatch/sweep';
import { AppError } from '../../lib/app-error.ts';
import { toIso } from '../../lib/clock.ts';
import { newTimeOrderedId } from '../../lib/ids.ts';
import type { Owner } from '../../lib/owner.ts';
import type { DispatchEvents } from '../dispatch-events.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import { bodyHashOf, withPriority } from '../intake/task-submission.ts';
import type { Tasks } from '../intake/tasks.ts';
import type { Reader } from '../links.ts';
import { viewResult } from '../tasks/task-view.ts';
import type { WorkflowOutlooks } from '../waiting/workflow-outlooks.ts';
import type { SavedWorkflows } from '../workflows/saved-workflows.ts';
import { cellValues, readAxes } from './sweep-axes.ts';
import type { SweepRow, SweepStore } from './sweep-store.ts';
import { axesIn, type CountedSweep, viewCell, viewDetail, viewSweep } from './sweep-view.ts';
import { cancelJob, cancelSweep, fillSweep, SweepWorker } from './sweep-worker.ts';

interface SweepRequest {
  userId: string;
  byAdmin: boolean;
  requestId: string;
  idempotencyKey: string | null;
}

interface WorkflowSweepsOptions extends Pick<DispatchParts, 'jobs' | 'links' | 'clock'> {
  store: SweepStore;
  tasks: Pick<Tasks, 'submitRequest' | 'cancel' | 'maxPriorityOf'>;
  savedWorkflows: Pick<SavedWorkflows, 'requestsOf'>;
  outlooks: Pick<WorkflowOutlooks, 'of'>;
  events: Pick<DispatchEvents, 'announce'>;
}

/** Runs a saved workflow with many values: a grid with a cell for each combination. */
export class WorkflowSweeps {
  readonly #options;
  readonly #worker: SweepWorker;

  constructor(options: WorkflowSweepsOptions) {
    this.#options = options;
    this.#worker = new SweepWorker({ ...options, onChanged: (sweep) => this.#announce(sweep) });
  }

  async start(): Promise<void> {
    await this.#worker.work.start();
  }

  /** Returns a sweep that has begun, or the earlier one for the same key. */
  async create(input: NewSweep, request: SweepRequest): Promise<{ sweep: SweepDetail; replayed: boolean }> {
    const { store, jobs } = this.#options;
    const bodyHash = bodyHashOf(input);
    const { userId, idempotencyKey } = request;
    const earlier = idempotencyKey === null ? undefined : await store.byKey(userId, idempotencyKey);
    if (earlier) return this.#replay(earlier, bodyHash);
    const { row, cells } = await this.#prepare(input, { ...request, bodyHash });
    const simultaneous = await store.insert(row, {
      cells,
      max: sweepLimits.perUser,
      alongside: (trx) => jobs.enqueue(trx, this.#worker.work.jobOf(row.id)),
    });
    if (simultaneous) return this.#replay(simultaneous, bodyHash);
    jobs.wake(fillSweep);
    return { sweep: await this.get({ user: userId }, row.id), replayed: false };
  }

  async foresee(
    input: NewSweep,
    { userId, byAdmin }: { userId: string; byAdmin: boolean },
  ): Promise<SweepOutlook> {
    const { store, outlooks } = this.#options;
    const { workflowId, params = {}, pool, instanceId } = input;
    if ((await store.countOf(userId)) >= sweepLimits.perUser) throw new AppError('sweep_limit');
    const { workflow, axes, values } = await this.#plan(input, { userId, byAdmin });
    const place = { ...(pool !== undefined && { pool }), ...(instanceId !== undefined && { instanceId }) };
    const one = await outlooks.of({ userId, byAdmin }, workflowId, {
      params: { ...params, ...values[0] },
      version: workflow.version,
      ...place,
    });
    const total = values.length;
    const rounds = Math.ceil(total / Math.max(one.totals.couldRun, 1));
    const { seconds, cost } = one;
    return {
      total,
      maxRuns: sweepLimits.runs,
      axes: axes.map((axis) => ({ param: axis.param, count: axis.values.length })),
      totals: { instances: one.totals.instances, couldRun: one.totals.couldRun },
      seconds: seconds && { low: seconds.low * rounds, high: seconds.high * rounds },
      cost: cost && { ...cost, low: cost.low * total, high: cost.high * total },
    };
  }

  async list(
    owner: Owner,
    page: { workflowId: string | undefined; limit: number; offset: number },
  ): Promise<{ total: number; items: Sweep[] }> {
    const { total, rows } = await this.#options.store.list(owner, page);
    return { total, items: (await this.#counted(rows)).map(viewSweep) };
  }

  async get(owner: Owner, sweepId: string): Promise<SweepDetail> {
    const [row] = await this.#counted([await this.#row(owner, sweepId)]);
    if (!row) throw new AppError('sweep_not_found');
    return viewDetail(row);
  }

  async cells(
    { owner, origin }: Reader,
    sweepId: string,
    { from, limit }: { from: number; limit: number },
  ): Promise<{ items: SweepCell[]; nextCursor: string | null }> {
    const { store, links } = this.#options;
    const counts = axesIn(await this.#row(owner, sweepId)).map(({ values }) => values.length);
    const rows = await store.cells(sweepId, { from, limit: limit + 1 });
    const shown = rows.slice(0, limit).map((row) => ({
      row,
      outputs: viewResult(row, (file) => links.to(file, origin))?.outputs ?? [],
    }));
    const existing = await store.existing(
      shown.flatMap(({ outputs }) => outputs.map(({ fileId }) => fileId)),
    );
    const items = shown.map(({ row, outputs }) => ({
      ...viewCell(row, counts),
      outputs: outputs.filter(({ fileId }) => existing.has(fileId)),
    }));
    const next = rows[limit];
    return { items, nextCursor: next ? String(next.cell) : null };
  }

  async rename(owner: Owner, sweepId: string, name: string): Promise<SweepDetail> {
    const row = await this.#row(owner, sweepId);
    if (!(await this.#options.store.rename(owner, sweepId, name.trim())))
      throw new AppError('sweep_not_found');
    this.#announce(row);
    return this.get(owner, sweepId);
  }

  /** Cells without a task get none; the tasks that have not ended are cancelled in the background. */
  async cancel(owner: Owner, sweepId: string): Promise<SweepDetail> {
    const { store, jobs } = this.#options;
    const row = await this.#row(owner, sweepId);
    await store.stop(row.id, (madeBy) => (trx) => jobs.enqueue(trx, cancelJob(row, madeBy)));
    jobs.wake(cancelSweep);
    this.#announce(row);
    return this.get(owner, sweepId);
  }

  async retry(
    owner: Owner,
    sweepId: string,
    states: readonly (typeof retriedStates)[number][] = ['failed', 'refused'],
  ): Promise<SweepDetail> {
    const { store, jobs } = this.#options;
    const row = await this.#row(owner, sweepId);
    await store.reopen(row.id, states, (trx) => jobs.enqueue(trx, this.#worker.work.jobOf(row.id)));
    jobs.wake(fillSweep);
    this.#announce(row);
    return this.get(owner, sweepId);
  }

  async delete(owner: Owner, sweepId: string): Promise<void> {
    const row = await this.#row(owner, sweepId);
    if (!(await this.#options.store.delete(owner, sweepId))) throw new AppError('sweep_not_found');
    this.#announce(row);
  }

  /** Everything about a request is checked before anything is written. */
  async #plan(
    input: NewSweep,
    { userId, byAdmin, seed = 0 }: { userId: string; byAdmin: boolean; seed?: number },
  ) {
    const { savedWorkflows, tasks } = this.#options;
    const { workflowId: _workflowId, version: _version, name: _name, params = {}, ...rest } = input;
    const { axes: _axes, wildcards = [], wildcardSeed = seed, ...settings } = rest;
    const workflow = await savedWorkflows.requestsOf(userId, input);
    const axes = readAxes(input, workflow.parameters);
    const values = cellValues({ params, axes, wildcards, seed: wildcardSeed }, workflow.parameters);
    const { input: first } = workflow.requestOf({ ...params, ...values[0] });
    withPriority(
      { ...first, ...settings },
      { maxPriority: tasks.maxPriorityOf({ byAdmin }), priorityBefore: 0 },
    );
    return { workflow, params, axes, values, wildcards, wildcardSeed, settings };
  }

  async #prepare(
    input: NewSweep,
    { userId, byAdmin, requestId, idempotencyKey, bodyHash }: SweepRequest & { bodyHash: string },
  ): Promise<{ row: SweepRow; cells: string[] }> {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const plan = await this.#plan(input, { userId, byAdmin, seed });
    const { workflow, params, axes, values, wildcards, wildcardSeed, settings } = plan;
    const now = this.#options.clock();
    const row: SweepRow = {
      id: newTimeOrderedId(now),
      owner: userId,
      workflowId: input.workflowId,
      version: workflow.version,
      name: input.name?.trim() ?? workflow.name,
      params: JSON.stringify(params),
      settings: JSON.stringify(settings),
      axes: JSON.stringify(axes),
      wildcards: JSON.stringify(wildcards),
      wildcardSeed: wildcards.length === 0 ? null : wildcardSeed,
      total: values.length,
      byAdmin: byAdmin ? 1 : 0,
      idempotencyKey,
      bodyHash,
      waitsFor: null,
      isOpen: 1,
      requestId,
      createdAt: toIso(now),
    };
    return { row, cells: values.map((each) => JSON.stringify(each)) };
  }

  async #replay(earlier: SweepRow, bodyHash: string): Promise<{ sweep: SweepDetail; replayed: boolean }> {
    if (earlier.bodyHash !== bodyHash) throw new AppError('idempotency_mismatch');
    return { sweep: await this.get({ user: earlier.owner }, earlier.id), replayed: true };
  }

  async #counted(rows: readonly SweepRow[]): Promise<CountedSweep[]> {
    const counts = await this.#options.store.counts(rows.map(({ id }) => id));
    return rows.flatMap((row) => {
      const counted = counts.get(row.id);
      return counted ? [{ ...row, counts: counted }] : [];
    });
  }

  async #row(owner: Owner, sweepId: string): Promise<SweepRow> {
    const row = await this.#options.store.get(owner, sweepId);
    if (!row) throw new AppError('sweep_not_found');
    return row;
  }

  #announce({ id: sweepId, owner }: SweepRow): void {
    this.#options.events.announce({ type: 'sweep_changed', sweepId, owner });
  }
}
