import type { ErrorCode, Fault } from '@switchyard/contract/errors';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { nearest } from '../../lib/nearest.ts';
import { cycleIn, type Graph, isLink, ownTitle } from './graph.ts';
import { fillPlaceholders, isPlaceholder, placeholderNames } from './placeholders.ts';
import { shownValue } from './shown-value.ts';

export interface AppliedParams {
  graph: Graph;
  /** Uploaded files that the graph now names; each is sent to the worker before the prompt. */
  fileIds: string[];
  warnings: Wording[];
}

/** Suggesting what a name may have meant compares it with everything in the graph, so it is bounded. */
const paramLimits = {
  params: 1_000,
  messages: 50,
  suggestions: 3,
  explained: 10,
  candidates: 1_000,
  nameLength: 64,
} as const;

/** The ids of the uploaded files that the params mention. */
export function fileIdsIn(params: Record<string, unknown>): string[] {
  return [...new Set(Object.values(params).flatMap((value) => fileIdOf(value) ?? []))];
}

/**
 * Returns the graph with the params in it; the given graph is not changed. Placeholders are filled first, so that a
 * value that happens to look like one stays as it was sent.
 */
export function applyParams({
  graph,
  params,
  strict,
  fileNames,
}: {
  graph: Graph;
  params: Record<string, unknown>;
  /** A param that matches nothing is an error instead of a warning. */
  strict: boolean;
  /** The name on the worker of each file in `fileIdsIn(params)`. */
  fileNames: ReadonlyMap<string, string>;
}): AppliedParams {
  const placeholders = placeholderNames(graph);
  if (Object.keys(params).length === 0) {
    return { graph, fileIds: [], warnings: unfilledWarnings(placeholders) };
  }
  const names = { addresses: addressesOf(graph), placeholders };
  const { values, unknown, faults } = sortParams(params, { names, fileNames });
  const explanations = explainUnknown(unknown, names);
  if (strict) faults.push(...explanations.map(({ name, text }) => fault(name, text, 'unknown_param')));

  const filled = fillPlaceholders(graph, {
    values,
    onFault: (name, message) => faults.push(fault(name, message)),
  });
  for (const [name, value] of values) {
    const address = names.addresses.inputs.get(name);
    const problem = address && setInput(filled, { address, value });
    if (problem) faults.push(fault(name, problem));
  }
  if (faults.length === 0 && [...values.values()].some(isLink)) faults.push(...cycleFaults(filled));
  if (faults.length > 0) throw invalidParams(faults);

  const unfilled = [...placeholders].filter((name) => !values.has(name));
  const warnings = [...explanations.map(({ text }) => text), ...unfilledWarnings(unfilled)];
  return { graph: filled, fileIds: fileIdsIn(params), warnings: warnings.slice(0, paramLimits.messages) };
}

interface SortedParams {
  /** The params that match, with the name on the worker in place of each file. */
  values: Map<string, unknown>;
  unknown: string[];
  faults: Fault[];
}

function sortParams(
  params: Record<string, unknown>,
  { names, fileNames }: { names: Names; fileNames: ReadonlyMap<string, string> },
): SortedParams {
  const entries = Object.entries(params);
  if (entries.length > paramLimits.params) {
    const message = `There are ${entries.length} params; at most ${paramLimits.params} are allowed.`;
    throw invalidParams([{ in: 'body', path: ['params'], message, type: 'invalid_param' }]);
  }
  const sorted: SortedParams = { values: new Map(), unknown: [], faults: [] };
  for (const [name, given] of entries) {
    const fileId = fileIdOf(given);
    const value = fileId === null ? given : fileNames.get(fileId);
    if (value === undefined)
      sorted.faults.push(fault(name, say('file_unknown', { file: `${fileId}` }), 'file_not_found'));
    else if (names.addresses.inputs.has(name) || names.placeholders.has(name)) sorted.values.set(name, value);
    else sorted.unknown.push(name);
  }
  return sorted;
}

function cycleFaults(graph: Graph): Fault[] {
  const cycle = cycleIn(graph);
  const message = say('links_in_cycle', { path: cycle?.join(' → ') ?? '' });
  return cycle ? [{ in: 'body', path: ['params'], message, type: 'invalid_param' }] : [];
}

function unfilledWarnings(names: Iterable<string>): Wording[] {
  return [...names]
    .slice(0, paramLimits.messages)
    .map((name) => say('placeholder_unfilled', { placeholder: `{{${name}}}` }));
}

interface Address {
  nodeId: string;
  input: string;
}

interface Addresses {
  inputs: Map<string, Address>;
  /** Titles that several nodes share, with their nodes: such a title addresses nothing. */
  sharedTitles: Map<string, string[]>;
}

/** Every `<node id>.<input>` and, for a unique title, `<title>.<input>`. An id wins over an equal title. */
function addressesOf(graph: Graph): Addresses {
  const nodesByTitle = new Map<string, string[]>();
  const inputs = new Map<string, Address>();
  for (const [nodeId, node] of Object.entries(graph)) {
    for (const input of Object.keys(node.inputs)) inputs.set(`${nodeId}.${input}`, { nodeId, input });
    const title = ownTitle(node);
    if (title) nodesByTitle.set(title, [...(nodesByTitle.get(title) ?? []), nodeId]);
  }
  const sharedTitles = new Map<string, string[]>();
  for (const [title, [nodeId, ...others]] of nodesByTitle) {
    if (nodeId === undefined) continue;
    if (others.length > 0) sharedTitles.set(title, [nodeId, ...others]);
    else addTitle(inputs, { title, nodeId, names: Object.keys(graph[nodeId]?.inputs ?? {}) });
  }
  return { inputs, sharedTitles };
}

function addTitle(
  inputs: Map<string, Address>,
  { title, nodeId, names }: { title: string; nodeId: string; names: string[] },
): void {
  for (const input of names) {
    const address = `${title}.${input}`;
    if (!inputs.has(address)) inputs.set(address, { nodeId, input });
  }
}

/** Sets the input in place, or returns what is wrong with the value. The present value decides the type. */
function setInput(graph: Graph, { address, value }: { address: Address; value: unknown }): Wording | null {
  const { nodeId, input } = address;
  const node = graph[nodeId];
  if (!node) return null;
  const target = isLink(value) && !Object.hasOwn(graph, value[0]) ? value[0] : null;
  const place = { node: nodeId, nodeClass: node.class_type, input };
  if (target !== null) return say('link_to_nothing', { ...place, target });
  const misfit = misfitOf(node.inputs[input], value);
  if (misfit) return say(misfit, { ...place, given: shownValue(value) });
  graph[nodeId] = { ...node, inputs: { ...node.inputs, [input]: value } };
  return null;
}

function misfitOf(present: unknown, value: unknown): (typeof misfits)[keyof typeof misfits] | null {
  if (isLink(value)) return null;
  const [wanted, given] = [typeName(present), typeName(value)];
  if (wanted === given || wanted === 'null' || isPlaceholder(present)) return null;
  // The graph does not say what type a link brings, so any plain value may take its place.
  if (wanted === 'link' && given !== 'object' && given !== 'list' && given !== 'null') return null;
  return misfits[wanted];
}

const misfits = {
  number: 'input_takes_number',
  string: 'input_takes_string',
  boolean: 'input_takes_boolean',
  object: 'input_takes_object',
  list: 'input_takes_list',
  link: 'input_takes_link',
} as const;

/** The type of a value that JSON can hold. */
function typeName(value: unknown): keyof typeof misfits | 'null' {
  if (isLink(value)) return 'link';
  if (Array.isArray(value)) return 'list';
  return value === null ? 'null' : (typeof value as 'number' | 'string' | 'boolean' | 'object');
}

function fileIdOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const keys = Object.keys(value);
  const fileId = '$file' in value ? value.$file : undefined;
  return keys.length === 1 && typeof fileId === 'string' ? fileId : null;
}

interface Names {
  addresses: Addresses;
  placeholders: ReadonlySet<string>;
}

function explainUnknown(unknown: string[], names: Names): { name: string; text: Wording }[] {
  const candidates = [...names.addresses.inputs.keys(), ...names.placeholders].slice(
    0,
    paramLimits.candidates,
  );
  return unknown.slice(0, paramLimits.messages).map((name, index) => ({
    name,
    text:
      sharedTitleHint(name, names.addresses.sharedTitles) ??
      nearestHint(name, index < paramLimits.explained ? candidates : []),
  }));
}

function sharedTitleHint(name: string, sharedTitles: Addresses['sharedTitles']): Wording | null {
  for (const [title, nodeIds] of sharedTitles) {
    if (!name.startsWith(`${title}.`)) continue;
    const input = name.slice(title.length + 1);
    const ids = nodeIds.slice(0, paramLimits.suggestions).map((id) => `"${id}.${input}"`);
    const names = ids.join(', ');
    return say('param_title_shared', { param: name, count: nodeIds.length, title, names });
  }
  return null;
}

function nearestHint(name: string, candidates: string[]): Wording {
  const remaining = new Set(name.length <= paramLimits.nameLength ? candidates : []);
  const suggestions: string[] = [];
  while (suggestions.length < paramLimits.suggestions) {
    const suggestion = nearest(name, remaining);
    if (suggestion === undefined) break;
    suggestions.push(`"${suggestion}"`);
    remaining.delete(suggestion);
  }
  const unknown = say('param_unknown', { param: name.slice(0, 200) });
  if (suggestions.length === 0) return unknown;
  return [...unknown, ...say('param_nearest', { names: suggestions.join(', ') })];
}

function fault(name: string, message: Wording, type = 'invalid_param'): Fault {
  return { in: 'body', path: ['params', name], message, type };
}

function invalidParams(faults: Fault[]): AppError {
  const isOnlyUnknown = faults.every(({ type }) => type === 'unknown_param');
  const code: ErrorCode = isOnlyUnknown ? 'unknown_param' : 'invalid_param';
  return new AppError(code, {
    message: faults[0]?.message ?? '',
    faults: faults.slice(0, paramLimits.messages),
  });
}
