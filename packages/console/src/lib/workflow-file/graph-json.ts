import { isRecord } from '@switchyard/contract/is-record';
/** A graph in ComfyUI's API format: node ids to nodes. */
export type ApiGraph = Record<string, ApiNode>;

export interface ApiNode {
  class_type: string;
  inputs: Record<string, unknown>;
  _meta?: { title?: string };
}

/** The kind of a JSON value: a graph that can run, a file of the editor, or something else. */
export type JsonKind =
  | { kind: 'graph'; graph: ApiGraph }
  | { kind: 'editor'; nodes: number }
  | { kind: 'other' };

export function jsonKindOf(value: unknown): JsonKind {
  if (!isRecord(value)) return { kind: 'other' };
  if (isApiGraph(value)) return { kind: 'graph', graph: value };
  // The body of a request to a worker holds the graph as `prompt`; ours holds it as `workflow`.
  for (const inner of [value.prompt, value.workflow]) {
    if (isRecord(inner) && isApiGraph(inner)) return { kind: 'graph', graph: inner };
  }
  const editor = [value, value.workflow].find((each) => isRecord(each) && Array.isArray(each.nodes));
  if (isRecord(editor) && Array.isArray(editor.nodes)) return { kind: 'editor', nodes: editor.nodes.length };
  return { kind: 'other' };
}

/** Returns undefined for a text that is not JSON. Python writes `NaN` and `Infinity`, which JSON does not have. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return readPythonJson(text);
  }
}

const stringOrNumberWord = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g;

function readPythonJson(text: string): unknown {
  if (!/\b(?:NaN|Infinity)\b/.test(text)) return undefined;
  try {
    return JSON.parse(text.replace(stringOrNumberWord, (found) => (found.startsWith('"') ? found : 'null')));
  } catch {
    return undefined; // no JSON of any dialect
  }
}

function isApiGraph(value: Record<string, unknown>): value is ApiGraph {
  const nodes = Object.values(value);
  return nodes.length > 0 && nodes.every(isApiNode);
}

function isApiNode(value: unknown): value is ApiNode {
  return isRecord(value) && typeof value.class_type === 'string' && isRecord(value.inputs);
}
