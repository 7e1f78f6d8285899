import { maxCountedTasks, type NewTask } from '@switchyard/contract/dispatch/tasks';
import type {
  NewSavedWorkflow,
  SavedWorkflow,
  SavedWorkflowChange,
  SavedWorkflowDetail,
  SavedWorkflowVersion,
  VersionDifference,
  WorkflowFigures,
  WorkflowParameter,
  WorkflowRun,
} from '@switchyard/contract/dispatch/workflow';
import { say } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { newTimeOrderedId } from '../../lib/ids.ts';
import type { Owner } from '../../lib/owner.ts';
import { type WorkerPrice, workerCost } from '../../lib/worker-price.ts';
import { requirePicture } from '../../platform/pictures/picture-library.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { OwnFiles } from '../files/own-files.ts';
import type { StoredFiles } from '../files/stored-files.ts';
import { type Graph, nodeClasses, parseGraph } from '../graphs/graph.ts';
import type { NodeInputStore } from '../instances/node-input-store.ts';
import type { RequestedTask } from '../intake/task-submission.ts';
import type { SubmitMeta, Submitted, Tasks } from '../intake/tasks.ts';
import type { Right, ShareStore } from '../shares/share-store.ts';
import { withMasks } from './mask-parameters.ts';
import {
  editParameters,
  lostFields,
  parametersOf,
  type ShownParameter,
} from './saved-workflow-parameters.ts';
import { schemaOf } from './saved-workflow-schema.ts';
import type { SavedWorkflowRow, SavedWorkflowStore, StoredWorkflow } from './saved-workflow-store.ts';
import { rightParamsOf, taskParamsOf } from './saved-workflow-values.ts';
import { versionDifferenceOf } from './version-difference.ts';
import type { WorkflowRecord, WorkflowRecordStore } from './workflow-record-store.ts';

interface WorkflowValues {
  workflowId: string;
  params: Record<string, unknown>;
  version?: number | undefined;
}

/** A saved workflow and its parameters, from which a tool is made. */
export interface ExposedWorkflow {
  id: string;
  name: string;
  description: string;
  schema: Record<string, unknown>;
}

const workflowLimits = { perUser: 500, versions: 50, graphBytes: 2_000_000, exposed: 100 } as const;

/** A stored workflow as one user reaches it. */
interface ReachedWorkflow extends StoredWorkflow {
  /** Null for the user's own. */
  right: Right | null;
}

/** A user's own workflows, stored by name, with the parameters that a task may set; and those that others share. */
export class SavedWorkflows {
  readonly #options;

  constructor(options: {
    store: SavedWorkflowStore;
    shares: Pick<ShareStore, 'right' | 'receivers' | 'tool' | 'switchTool'>;
    events: DispatchParts['events'];
    records: Pick<WorkflowRecordStore, 'of'>;
    files: Pick<StoredFiles, 'selected'>;
    price: WorkerPrice | null;
    nodeInputs: Pick<NodeInputStore, 'of'>;
    ownFiles: Pick<OwnFiles, 'fixedIn'>;
    tasks: Pick<Tasks, 'submitRequest'>;
    emailsOf: DispatchParts['emailsOf'];
    clock: Clock;
  }) {
    this.#options = options;
  }

  /** `form`: how the fields were shown where the workflow comes from. */
  async create(
    userId: string,
    input: NewSavedWorkflow,
    form: readonly ShownParameter[] = [],
  ): Promise<SavedWorkflowDetail> {
    const { store, clock } = this.#options;
    const graph = readGraph(input.workflow);
    const read = await this.#parametersOf(graph, form);
    const parameters = editParameters(read, input.parameters ?? []);
    const createdAt = toIso(clock());
    const row: SavedWorkflowRow = {
      id: newTimeOrderedId(clock()),
      owner: userId,
      name: input.name.trim(),
      description: input.description ?? '',
      exposed: input.exposed ? 1 : 0,
      version: 1,
      coverFileId: null,
      createdAt,
      updatedAt: createdAt,
    };
    const { notes = '' } = input;
    const version = versionOf(row, { graph, parameters, notes, createdAt });
    await store.insert({ user: userId }, { row, version }, { max: workflowLimits.perUser });
    return this.#viewDetail({ row, version }, { lost: lostFields(form, read) });
  }

  /** Saves the newest version as a workflow of this user. */
  async copy(userId: string, workflowId: string, name?: string): Promise<SavedWorkflowDetail> {
    const { store, clock } = this.#options;
    const reached = await this.#reached({ user: userId }, workflowId);
    const createdAt = toIso(clock());
    const row: SavedWorkflowRow = {
      ...reached.row,
      id: newTimeOrderedId(clock()),
      owner: userId,
      name: name?.trim() ?? reached.row.name,
      exposed: 0,
      version: 1,
      coverFileId: null,
      createdAt,
      updatedAt: createdAt,
    };
    const version = { ...reached.version, workflowId: row.id, version: 1, createdAt };
    await store.insert({ user: userId }, { row, version }, { max: workflowLimits.perUser });
    return this.#viewDetail({ row, version });
  }

  async list(
    owner: Owner,
    page: { name?: string | undefined; limit: number; offset: number },
  ): Promise<{ total: number; items: SavedWorkflow[] }> {
    const { total, rows } = await this.#options.store.list(owner, page);
    const records = await this.#options.records.of(rows.map(({ id }) => id));
    return { total, items: rows.map((row) => this.#view(row, records.get(row.id))) };
  }

  async get(owner: Owner, workflowId: string, version?: number): Promise<SavedWorkflowDetail> {
    const reached = await this.#reached(owner, workflowId, version);
    return this.#viewDetail(reached, { share: await this.#shareOf(owner, reached) });
  }

  async versions(owner: Owner, workflowId: string): Promise<SavedWorkflowVersion[]> {
    const { row, right } = await this.#reached(owner, workflowId);
    const versions = await this.#options.store.versions({ user: row.owner }, workflowId);
    return versions.filter(({ version }) => version >= (right?.fromVersion ?? 1));
  }

  async note(
    owner: Owner,
    workflowId: string,
    change: Pick<SavedWorkflowVersion, 'version' | 'notes'>,
  ): Promise<SavedWorkflowVersion> {
    const { version, right } = await this.#reached(owner, workflowId, change.version);
    if (right) throw new AppError('share_allows_less');
    // The version may have been the oldest, and deleted since.
    if (!(await this.#options.store.note(owner, workflowId, change)))
      throw new AppError('workflow_not_found');
    return { version: version.version, notes: change.notes, createdAt: version.createdAt };
  }

  async difference(
    owner: Owner,
    workflowId: string,
    compared: { left: number; right?: number | undefined },
  ): Promise<VersionDifference> {
    const [left, right] = await Promise.all([
      this.#reached(owner, workflowId, compared.left),
      this.#reached(owner, workflowId, compared.right),
    ]);
    const [a, b] = [left.version, right.version].map((version) => ({
      version: version.version,
      graph: graphIn(version),
      parameters: parametersIn(version),
    })) as [ComparedVersion, ComparedVersion];
    return { left: a.version, right: b.version, ...versionDifferenceOf(a, b) };
  }

  async change(owner: Owner, workflowId: string, change: SavedWorkflowChange): Promise<SavedWorkflowDetail> {
    const { store, clock } = this.#options;
    const { row, version: present, right } = await this.#reached(owner, workflowId);
    if (right) throw new AppError('share_allows_less');
    if (change.version !== undefined && change.version !== row.version) {
      throw new AppError('workflow_version_mismatch');
    }
    const { workflow, parameters, restore, notes, coverFileId } = change;
    const makesVersion = workflow !== undefined || parameters !== undefined || restore !== undefined;
    if (typeof coverFileId === 'string') await this.#requirePicture(row.owner, coverFileId);
    const changed = makesVersion ? await this.#changed(owner, present, change) : null;
    const updatedAt = toIso(clock());
    const columns = { ...columnsOf(change), updatedAt };
    const next: SavedWorkflowRow = { ...row, ...columns, version: row.version + (makesVersion ? 1 : 0) };
    const version = changed
      ? versionOf(next, { ...changed, notes: notes ?? '', createdAt: updatedAt })
      : { ...present, ...(notes !== undefined && { notes }) };
    const stored = await store.change(owner, workflowId, {
      from: row.version,
      columns: { ...columns, ...(changed && { version: next.version }) },
      version: changed && version,
      notes: changed ? undefined : notes,
      keep: workflowLimits.versions,
    });
    if (!stored) throw new AppError('workflow_version_mismatch');
    return this.#viewDetail({ row: next, version }, { lost: changed?.lost });
  }

  async delete(owner: Owner, workflowId: string): Promise<void> {
    const { store, shares, events } = this.#options;
    // Its shares go with it.
    const receivers = await shares.receivers('workflow', workflowId);
    if (!(await store.delete(owner, workflowId))) {
      await this.#reached(owner, workflowId);
      throw new AppError('share_allows_less');
    }
    for (const each of receivers)
      events.announce({ type: 'share_changed', owner: each, kind: 'workflow', subjectId: workflowId });
  }

  /** Gives a shared workflow to the agents of one receiver, or takes it from them. */
  async switchTool(userId: string, workflowId: string, on: boolean): Promise<SavedWorkflowDetail> {
    const owner = { user: userId };
    const { row, right } = await this.#reached(owner, workflowId);
    if (!right) throw new AppError('workflow_is_own');
    if (on) requireRun(right);
    await this.#options.shares.switchTool(userId, row, on);
    return this.get(owner, workflowId);
  }

  /** Submits a task. A repeated request returns its first task, even when the workflow has changed or is gone. */
  async run(workflowId: string, input: WorkflowRun, meta: SubmitMeta): Promise<Submitted> {
    const { params = {}, version, ...options } = input;
    return this.#options.tasks.submitRequest(
      { workflowId, ...input },
      async () => {
        const task = await this.#requestOf(meta.userId, { workflowId, params, version });
        return { ...task, input: { ...task.input, ...options } };
      },
      meta,
    );
  }

  /** Like `run`, but with other params than the request names. They are computed only if no task was made before. */
  async runWith(
    workflowId: string,
    {
      params,
      submitted,
    }: { params: WorkflowValues['params']; submitted: () => Promise<WorkflowValues['params']> },
    meta: SubmitMeta,
  ): Promise<Submitted> {
    return this.#options.tasks.submitRequest(
      { workflowId, params },
      async () => this.#requestOf(meta.userId, { workflowId, params: await submitted() }),
      meta,
    );
  }

  /** The task that these values would result in. */
  async taskOf(userId: string, values: WorkflowValues): Promise<NewTask> {
    return (await this.#requestOf(userId, values)).input;
  }

  /** The task of a form that is not filled in yet: values that a run would refuse are left out. */
  async taskWithRightValues(
    userId: string,
    { workflowId, params, version }: WorkflowValues,
  ): Promise<Pick<NewTask, 'workflow' | 'params'>> {
    const { version: stored } = await this.#reached({ user: userId }, workflowId, version);
    return { workflow: graphIn(stored), params: rightParamsOf(parametersIn(stored), params) };
  }

  /** The workflows that this user's agent has as tools. */
  async exposed(userId: string): Promise<ExposedWorkflow[]> {
    const { store } = this.#options;
    const max = workflowLimits.exposed;
    // The user's own come first, so that one of another user never takes the name of a tool from them.
    const rows = [
      ...(await store.exposed({ user: userId }, { max })),
      ...(await store.switchedOn(userId, { max })),
    ];
    return rows.slice(0, max).map(({ id, name, description, parameters }) => ({
      id,
      name,
      description,
      schema: schemaOf(readParameters(parameters)),
    }));
  }

  /** Changes with every change of this user's workflows, and of those that they have switched on. */
  async mark(userId: string): Promise<number> {
    return this.#options.store.mark({ user: userId });
  }

  /** What many tasks of one version need, read once. `requestOf` refuses values as a run would. */
  async requestsOf(userId: string, { workflowId, version }: Pick<WorkflowValues, 'workflowId' | 'version'>) {
    const { row, version: stored, right } = await this.#reached({ user: userId }, workflowId, version);
    if (right) requireRun(right);
    const [workflow, parameters] = [graphIn(stored), parametersIn(stored)];
    const common = {
      ...(right && { lent: await this.#options.ownFiles.fixedIn(workflow, right.owner) }),
      savedWorkflow: { workflowId: row.id, version: stored.version },
    };
    const requestOf = (params: WorkflowValues['params']): RequestedTask => {
      const input = { name: row.name, workflow, params: taskParamsOf(parameters, params), strict: true };
      return { ...common, input };
    };
    return { name: row.name, version: stored.version, parameters, requestOf };
  }

  async #requestOf(userId: string, { params, ...of }: WorkflowValues): Promise<RequestedTask> {
    return (await this.requestsOf(userId, of)).requestOf(params);
  }

  async #reached(owner: Owner, workflowId: string, version?: number): Promise<ReachedWorkflow> {
    const { store } = this.#options;
    const own = await store.get(owner, workflowId, version);
    if (own) return { ...own, right: null };
    const right = 'user' in owner ? await this.#rightOf(owner.user, workflowId) : undefined;
    const shared = right && (await store.get({ user: right.owner }, workflowId, version));
    if (shared && shared.version.version >= right.fromVersion) return { ...shared, right };
    const message =
      version === undefined
        ? undefined
        : `There is no such workflow, or its version ${version} is not kept. GET /api/workflows/${workflowId}/versions lists those that are.`;
    throw new AppError('workflow_not_found', message === undefined ? {} : { message });
  }

  async #rightOf(userId: string, workflowId: string): Promise<Right | undefined> {
    const right = await this.#options.shares.right(userId, 'workflow', workflowId);
    return right?.owner === userId ? undefined : right;
  }

  async #shareOf(owner: Owner, { row, right }: ReachedWorkflow): Promise<SavedWorkflowDetail['share']> {
    if (!right || !('user' in owner)) return null;
    const { shares, emailsOf } = this.#options;
    const from = (await emailsOf([right.owner])).get(right.owner) ?? '';
    return { from, may: right.may, tool: await shares.tool(owner.user, row) };
  }

  async #parametersOf(graph: Graph, previous: readonly ShownParameter[] = []): Promise<WorkflowParameter[]> {
    const known = await this.#options.nodeInputs.of(nodeClasses(graph));
    return parametersOf(graph, { known, previous });
  }

  /** The graph and the form of a new version. A version that is restored brings both; another graph takes over the form. */
  async #changed(
    owner: Owner,
    present: StoredWorkflow['version'],
    { workflow, restore, parameters: edits = [] }: SavedWorkflowChange,
  ): Promise<{ graph: Graph; parameters: WorkflowParameter[]; lost: string[] }> {
    if (restore !== undefined && workflow !== undefined) throw new AppError('validation_failed', twoGraphs);
    const before = parametersIn(present);
    if (workflow !== undefined) {
      const graph = readGraph(workflow);
      const read = await this.#parametersOf(graph, before);
      return { graph, parameters: editParameters(read, edits), lost: lostFields(before, read) };
    }
    const { version: base } =
      restore === undefined ? { version: present } : await this.#reached(owner, present.workflowId, restore);
    const parameters = parametersIn(base);
    return {
      graph: graphIn(base),
      parameters: editParameters(parameters, edits),
      lost: lostFields(before, parameters),
    };
  }

  async #requirePicture(userId: string, fileId: string): Promise<void> {
    const [file] = await this.#options.files.selected({ user: userId }, [fileId]);
    requirePicture(file?.contentType ?? '');
  }

  #view(row: SavedWorkflowRow, record: WorkflowRecord | undefined): SavedWorkflow {
    const { id, name, description, exposed, version, createdAt, updatedAt } = row;
    const { cover = null } = record ?? {};
    const figures = this.#figuresOf(record);
    return { id, name, description, exposed: exposed === 1, version, cover, figures, createdAt, updatedAt };
  }

  #figuresOf({ runs, durationsMs }: WorkflowRecord = noRecord): WorkflowFigures {
    const sorted = durationsMs.toSorted((a, b) => a - b);
    const medianMs = sorted[Math.floor(sorted.length / 2)];
    const seconds = medianMs === undefined ? null : medianMs / 1_000;
    return {
      runs: Math.min(runs, maxCountedTasks),
      ...(runs > maxCountedTasks && { runsIsMinimum: true }),
      seconds,
      ...workerCost(this.#options.price, seconds),
    };
  }

  /** An older version: its graph and parameters, with the present name of the workflow. */
  async #viewDetail(
    { row, version }: StoredWorkflow,
    { share = null, lost = [] }: { share?: SavedWorkflowDetail['share']; lost?: string[] | undefined } = {},
  ): Promise<SavedWorkflowDetail> {
    // The pictures and the runs of its owner are not shared with the workflow.
    const records = share ? null : await this.#options.records.of([row.id]);
    const parameters = parametersIn(version);
    const graph = graphIn(version);
    return {
      ...this.#view(row, records?.get(row.id)),
      ...(share && { exposed: share.tool === 'on' }),
      share,
      version: version.version,
      notes: version.notes,
      ...(lost.length > 0 && { lostFields: lost }),
      workflow: graph,
      parameters: withMasks(graph, parameters),
      schema: schemaOf(parameters),
    };
  }
}

interface ComparedVersion {
  version: number;
  graph: Graph;
  parameters: WorkflowParameter[];
}

const noRecord: WorkflowRecord = { runs: 0, durationsMs: [], cover: null };

const twoGraphs = {
  faults: [
    {
      in: 'body' as const,
      path: ['restore'],
      message: 'A version has one graph. Send `restore` or `workflow`, not both.',
      type: 'value_error',
    },
  ],
};

function columnsOf({ name, description, exposed, coverFileId }: SavedWorkflowChange) {
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(description !== undefined && { description }),
    ...(exposed !== undefined && { exposed: exposed ? 1 : 0 }),
    ...(coverFileId !== undefined && { coverFileId }),
  };
}

function readGraph(workflow: Record<string, unknown>): Graph {
  const graph = parseGraph(workflow);
  const bytes = Buffer.byteLength(JSON.stringify(graph));
  if (bytes <= workflowLimits.graphBytes) return graph;
  const message = say('workflow_too_large', { bytes, limit: workflowLimits.graphBytes });
  throw new AppError('invalid_workflow', {
    message,
    faults: [{ in: 'body', path: ['workflow'], message, type: 'invalid_workflow' }],
  });
}

function versionOf(
  { id, version }: SavedWorkflowRow,
  {
    graph,
    parameters,
    notes,
    createdAt,
  }: { graph: Graph; parameters: WorkflowParameter[]; notes: string; createdAt: string },
): StoredWorkflow['version'] {
  return {
    workflowId: id,
    version,
    graph: JSON.stringify(graph),
    parameters: JSON.stringify(parameters),
    notes,
    createdAt,
  };
}

function graphIn({ graph }: StoredWorkflow['version']): Graph {
  return JSON.parse(graph) as Graph;
}

function parametersIn({ parameters }: StoredWorkflow['version']): WorkflowParameter[] {
  return readParameters(parameters);
}

/** Versions that were stored before fields could be pinned do not say that theirs are not. */
function readParameters(stored: string): WorkflowParameter[] {
  const parameters = JSON.parse(stored) as (Omit<WorkflowParameter, 'pinned'> & { pinned?: boolean })[];
  return parameters.map((parameter) => ({ ...parameter, pinned: parameter.pinned ?? false }));
}

function requireRun({ may }: Right): void {
  if (may === 'run') return;
  throw new AppError('share_allows_less', {
    message: 'This workflow is shared with you to read. Save a copy and run that, or ask its owner for more.',
  });
}
