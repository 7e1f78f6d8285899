import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { isRecord } from '@switchyard/contract/is-record';
import type { Graph } from '../../dispatch/graphs/graph.ts';
import { applyParams, fileIdsIn } from '../../dispatch/graphs/params.ts';
import { type ApiNodeErrors, ComfyApiRefusal, invalidWorkflow } from './comfy-api-errors.ts';

const typeKey = '__type';
const assetType = 'core/ASSET';
const assetId = /^[\w-]{1,100}$/;

export interface GraphWithAssets {
  /** A placeholder stands where an asset stood. */
  workflow: Record<string, unknown>;
  /** The file of each placeholder. */
  params: Record<string, unknown>;
  /** `<node>.<input>` of the inputs that take an asset. */
  inputs: Set<string>;
}

/** Assets become the files of a task. One that stands deeper than an input, or without an id, is refused. */
export function takeAssets(given: Record<string, unknown>): GraphWithAssets {
  const params: Record<string, unknown> = Object.create(null);
  const inputs = new Set<string>();
  const nodeErrors: ApiNodeErrors = Object.create(null);
  const take = (node: string, field: string, value: unknown): unknown => {
    if (!isAsset(value)) {
      if (holdsAsset(value)) nodeErrors[node] = [...(nodeErrors[node] ?? []), { field, reason: notDeeper }];
      return value;
    }
    const id = isRecord(value.info) ? value.info.id : undefined;
    if (typeof id !== 'string' || !assetId.test(id)) throw missingAsset([String(id)]);
    params[nameOf(id)] = { $file: id };
    inputs.add(`${node}.${field}`);
    return placeholderOf(id);
  };
  const nodes = Object.entries(given).map(([id, node]) => {
    if (!isRecord(node) || !isRecord(node.inputs)) return [id, node];
    const taken = Object.entries(node.inputs).map(([name, value]) => [name, take(id, name, value)]);
    return [id, { ...node, inputs: Object.fromEntries(taken) }];
  });
  if (Object.keys(nodeErrors).length > 0) throw invalidWorkflow(notDeeper, nodeErrors);
  return { workflow: Object.fromEntries(nodes), params, inputs };
}

export function missingAsset(ids: readonly string[]): ComfyApiRefusal {
  const shown = ids.map((id) => id.slice(0, 100));
  return new ComfyApiRefusal('missing_asset', {
    status: 422,
    message: `There is no asset ${shown.join(', ')}. Upload it first.`,
    details: { asset_ids: shown },
  });
}

/** The id of the asset that a param stands for. */
export function assetOfParam(name: string): string {
  return name.slice(namePrefix.length);
}

/** The graph as it runs, with assets in place of the files of the task. */
export function executedGraph({ workflow, params }: Pick<TaskDetail, 'workflow' | 'params'>): Graph {
  const fileNames = new Map(fileIdsIn(params).map((id) => [id, placeholderOf(id)]));
  const { graph } = applyParams({ graph: workflow as Graph, params, strict: false, fileNames });
  const assets = new Map([...fileNames].map(([id, text]) => [text, { [typeKey]: assetType, info: { id } }]));
  const nodes = Object.entries(graph).map(([id, node]) => {
    const inputs = Object.entries(node.inputs).map(([name, value]) => [
      name,
      (typeof value === 'string' && assets.get(value)) || value,
    ]);
    return [id, { ...node, inputs: Object.fromEntries(inputs) }];
  });
  return Object.fromEntries(nodes);
}

const notDeeper = 'An asset is the whole value of an input, and not a part of a list or an object.';
const namePrefix = 'asset ';

function nameOf(id: string): string {
  return `${namePrefix}${id}`;
}

function placeholderOf(id: string): string {
  return `{{${nameOf(id)}}}`;
}

function isAsset(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && value[typeKey] === assetType;
}

function holdsAsset(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isAsset(value) || Object.values(value).some(holdsAsset);
}
