import type { WorkflowExport } from '@switchyard/contract/dispatch/workflow';
import { isRecord } from '@switchyard/contract/is-record';
import { FileSlices } from './file-slices.ts';
import { type ApiGraph, jsonKindOf, readJson } from './graph-json.ts';
import { pngTexts } from './png-texts.ts';
import { webpTexts } from './webp-texts.ts';

/** The kinds of a file, by its first bytes; `text` and `binary` when no known mark is there. */
const fileKinds = [
  'png',
  'webp',
  'jpeg',
  'gif',
  'avif',
  'video',
  'audio',
  'pdf',
  'zip',
  'model',
  'empty',
  'text',
  'binary',
] as const;
/** The number of the first bytes that are looked at. */
const kindBytes = 1_024;
const marks: [FileKind, offset: number, text: string][] = [
  ['png', 0, '\x89PNG\r\n\x1a\n'],
  ['jpeg', 0, '\xff\xd8\xff'],
  ['gif', 0, 'GIF8'],
  ['webp', 8, 'WEBP'],
  ['avif', 4, 'ftypavif'],
  ['audio', 4, 'ftypM4A'],
  ['video', 4, 'ftyp'],
  ['video', 0, '\x1aE\xdf\xa3'],
  ['audio', 8, 'WAVE'],
  ['audio', 0, 'ID3'],
  ['audio', 0, 'fLaC'],
  ['audio', 0, 'OggS'],
  ['pdf', 0, '%PDF-'],
  ['zip', 0, 'PK\x03\x04'],
];

/** The content of a dropped file. */
export type ReadFile =
  /** `exported`: the whole file, where it is a workflow that was exported with its form. */
  | { kind: 'graph'; graph: ApiGraph; name: string; nodes: number; from: FileKind; exported?: WorkflowExport }
  /** A file of the editor: it names widgets by their place, so only ComfyUI can turn it into a graph that runs. */
  | { kind: 'editor'; name: string; nodes: number; from: FileKind }
  /** JSON, but no workflow. */
  | { kind: 'other_json'; name: string }
  /** Text that looks like JSON and is none. */
  | { kind: 'broken_json'; name: string }
  | { kind: 'too_large'; name: string; sizeBytes: number }
  | { kind: 'no_workflow'; name: string; from: FileKind };

/** The gateway saves at most 2 MB; a file with much white space may still become that small. */
const maxJsonBytes = 16 * 1024 * 1024;

/** Says what a file is and takes the graph out of it. Nothing is executed, and large files are read in slices. */
export async function readWorkflowFile(file: Blob, filename: string): Promise<ReadFile> {
  const slices = new FileSlices(file);
  const from = fileKindOf(await slices.read(0, kindBytes), filename);
  const name = nameOf(filename);
  if (from === 'text') {
    if (file.size > maxJsonBytes) return { kind: 'too_large', name: filename, sizeBytes: file.size };
    const found = readWorkflowText(await file.text(), name);
    // A graph gets a name for itself; a message about another file names that file.
    return found.kind === 'graph' ? found : { ...found, name: filename };
  }
  if (from !== 'png' && from !== 'webp') return { kind: 'no_workflow', name: filename, from };
  const texts = from === 'png' ? await pngTexts(slices) : await webpTexts(slices);
  return pictureKind(texts, { name, filename, from });
}

/** For a text that was pasted, too. */
export function readWorkflowText(text: string, name: string): ReadFile {
  const value = readJson(text);
  if (value === undefined) {
    const looksLikeJson = /^\s*[[{]/.test(text);
    return looksLikeJson ? { kind: 'broken_json', name } : { kind: 'no_workflow', name, from: 'text' };
  }
  const found = jsonKindOf(value);
  if (found.kind === 'other') return { kind: 'other_json', name };
  if (found.kind === 'editor') return { kind: 'editor', name, nodes: found.nodes, from: 'text' };
  const { graph } = found;
  if (!isExport(value)) return graphOf(graph, { name, from: 'text' });
  const nodes = Object.keys(graph).length;
  return {
    kind: 'graph',
    graph,
    name: value.name.slice(0, maxNameLength),
    nodes,
    from: 'text',
    exported: value,
  };
}

/** The gateway checks the rest, and names what is wrong with it. */
function isExport(value: unknown): value is WorkflowExport {
  return isRecord(value) && value.format === 'switchyard.workflow' && typeof value.name === 'string';
}

/** The executed graph comes first: what the editor kept beside it cannot run. */
function pictureKind(
  texts: ReadonlyMap<string, string>,
  { name, filename, from }: { name: string; filename: string; from: FileKind },
): ReadFile {
  for (const keyword of ['prompt', 'workflow']) {
    const found = jsonKindOf(readJson(texts.get(keyword) ?? ''));
    if (found.kind === 'graph') return graphOf(found.graph, { name, from });
    if (found.kind === 'editor') return { kind: 'editor', name: filename, nodes: found.nodes, from };
  }
  return { kind: 'no_workflow', name: filename, from };
}

function graphOf(graph: ApiGraph, { name, from }: { name: string; from: FileKind }): ReadFile {
  return { kind: 'graph', graph, name, nodes: Object.keys(graph).length, from };
}

const maxNameLength = 100;

function nameOf(filename: string): string {
  return filename.replace(/\.[A-Za-z0-9]{1,5}$/, '').slice(0, maxNameLength);
}

type FileKind = (typeof fileKinds)[number];

function fileKindOf(head: Uint8Array, filename: string): FileKind {
  if (head.length === 0) return 'empty';
  const start = String.fromCharCode(...head.subarray(0, 16));
  const mark = marks.find(([, offset, text]) => start.startsWith(text, offset));
  if (mark) return mark[0];
  if (/\.(safetensors|sft|ckpt|gguf|pth?|onnx)$/i.test(filename)) return 'model';
  return head.includes(0) ? 'binary' : 'text';
}
