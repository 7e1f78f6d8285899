import type { TaskRow } from '../../dispatch/tables.ts';
import type { StoredResult } from '../../dispatch/tasks/task-view.ts';

interface NamedFile {
  filename: string;
  subfolder: string;
  type: 'output' | 'temp';
}

/** The outputs of one node by kind, as ComfyUI lists them. */
export type NodeOutput = Record<string, (NamedFile | string)[]>;

/**
 * The outputs of a task by node. Two workers name their files alike, so each file has the subfolder that `GET /view` finds it by:
 * the id of the stored file.
 */
export function outputsOf({ result }: Pick<TaskRow, 'result'>): Record<string, NodeOutput> {
  const outputs: Record<string, NodeOutput> = Object.create(null);
  if (result === null) return outputs;
  const stored = JSON.parse(result) as StoredResult;
  for (const { node, filename, fileId, kind, folder, contentType } of stored.outputs) {
    const file: NamedFile = { filename, subfolder: fileId, type: folder ?? 'output' };
    listOf(outputs, node, kind ?? kindOf(contentType)).push(file);
  }
  for (const { node, text } of stored.texts) listOf(outputs, node, 'text').push(text);
  return outputs;
}

function listOf(outputs: Record<string, NodeOutput>, node: string, kind: string): NodeOutput[string] {
  const ofNode = outputs[node] ?? (Object.create(null) as NodeOutput);
  outputs[node] = ofNode;
  const list = ofNode[kind] ?? [];
  ofNode[kind] = list;
  return list;
}

/** Tasks of earlier versions do not record under which kind the worker had listed a file. */
function kindOf(contentType: string): string {
  return contentType.startsWith('audio/') ? 'audio' : 'images';
}
