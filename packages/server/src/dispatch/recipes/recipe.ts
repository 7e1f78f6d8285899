import type { FileRecipe } from '@switchyard/contract/dispatch/recipe';
import type { TaskConversation } from '@switchyard/contract/dispatch/task';
import { isRecord } from '@switchyard/contract/is-record';
import type { FileRow } from '../files/stored-file-store.ts';
import { maskExtraData } from '../graphs/extra-data.ts';
import type { AttemptRow } from '../tasks/attempt-store.ts';
import { type StoredResult, savedWorkflowOf, targetsOf } from '../tasks/task-view.ts';
import { graphOf, recipeValues, seedsIn } from './recipe-graph.ts';
import type { RecipeRows } from './recipe-store.ts';

/** `rows` is undefined for an upload. */
export function viewRecipe(file: FileRow, rows: RecipeRows | undefined): FileRecipe {
  const { id: fileId, filename, contentType, size, sha256, createdAt, source } = file;
  const about = { fileId, filename, contentType, size, sha256, createdAt, source, isShared: false };
  return rows ? { ...about, ...madeBy(rows, file) } : { ...about, ...notMade(file) };
}

/**
 * What a reader gets of a recipe that is shared: the graph and its values. The task, its conversation and its files are not shared with
 * the file.
 */
export function withoutTask(recipe: FileRecipe): FileRecipe {
  const { source, params } = recipe;
  const isFile = (value: unknown) => isRecord(value) && '$file' in value;
  return {
    ...recipe,
    isShared: true,
    summary: source === 'upload' ? recipe.summary : 'A task of its owner made this file.',
    task: null,
    savedWorkflow: null,
    params: params && Object.fromEntries(Object.entries(params).filter(([, value]) => !isFile(value))),
    extraData: null,
    inputs: [],
  };
}

function madeBy(rows: RecipeRows, file: FileRow) {
  const { task, input, attempt, sources } = rows;
  const { name, createdAt, startedAt, finishedAt } = task;
  const { extraData } = input;
  return {
    summary: summaryOf(rows),
    task: {
      taskId: task.id,
      name,
      ...placeOf(file.id, task.result),
      conversation: task.conversation ? (JSON.parse(task.conversation) as TaskConversation) : null,
      createdAt,
      startedAt,
      finishedAt,
    },
    worker: attempt ? workerOf(attempt) : null,
    savedWorkflow: savedWorkflowOf(task),
    workflow: JSON.parse(input.workflow) as Record<string, unknown>,
    params: JSON.parse(input.params) as Record<string, unknown>,
    extraData: extraData ? maskExtraData(JSON.parse(extraData) as Record<string, unknown>) : null,
    partialExecutionTargets: targetsOf(input),
    seeds: seedsIn(graphOf(rows)),
    inputs: sources,
    values: recipeValues(rows),
  };
}

function notMade({ source }: FileRow) {
  return {
    summary:
      source === 'upload'
        ? 'This file was uploaded; no task made it.'
        : 'A task made this file, and the record of that task is gone.',
    task: null,
    worker: null,
    savedWorkflow: null,
    workflow: null,
    params: null,
    extraData: null,
    partialExecutionTargets: null,
    seeds: [],
    inputs: [],
    values: [],
  };
}

/** The node that made the file, and which of the node's outputs it is. */
function placeOf(fileId: string, result: string | null): { node: string | null; nodeOutput: number | null } {
  const { outputs } = result ? (JSON.parse(result) as StoredResult) : { outputs: [] };
  const node = outputs.find((output) => output.fileId === fileId)?.node;
  if (node === undefined) return { node: null, nodeOutput: null };
  const ofNode = outputs.filter((output) => output.node === node);
  return { node, nodeOutput: ofNode.findIndex((output) => output.fileId === fileId) };
}

function workerOf({ instanceId, serverName, workerVersion, attempt, startedAt, endedAt }: AttemptRow) {
  return { instanceId, name: serverName, version: workerVersion, attempt, startedAt, endedAt };
}

function summaryOf({ task, attempt, sources }: RecipeRows): string {
  const inputs =
    sources.length === 0 ? '' : ` from ${sources.length} ${sources.length === 1 ? 'file' : 'files'}`;
  const version = attempt?.workerVersion ? ` (version ${attempt.workerVersion})` : '';
  const where = attempt ? ` on ${attempt.serverName ?? attempt.instanceId}${version}` : '';
  return `Task ${task.name ?? task.id} made this file${inputs}${where}.`;
}
