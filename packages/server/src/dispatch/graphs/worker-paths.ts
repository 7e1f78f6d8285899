import { type Graph, isLink } from './graph.ts';
import { isPrefixInput } from './worker-names.ts';

/** A text in a graph that leads a worker to a file which is not one of the task's own inputs. */
export interface WorkerPath {
  nodeId: string;
  nodeClass: string;
  input: string;
  value: string;
  /**
   * The target of the path. `pushed`: a file that the gateway put there for some task. `beyond`: an output name that
   * leads out of its folder.
   */
  to: 'output' | 'temp' | 'pushed' | 'outside' | 'beyond';
  /** The last part of the path. */
  filename: string;
  /** The text is the whole value of the input, so that another file can take its place. */
  isWhole: boolean;
  /** It counts only when the worker reports that the input takes a file; the input's name does not show it. */
  isDoubtful: boolean;
}

/** Names of inputs that take files and folders: `image`, `video_path`, `directory`, `output_path`. */
const fileInput =
  /^(images?|masks?|videos?|audios?|latents?|files?|filename|path|dir|directory|folder)$|(^|_)(file|filename|path|dir|directory|folder)(_\d+)?$|^(image|video|audio|mask)_?(path|file|name|upload)$/i;
const annotation = /^(.*)\[(input|output|temp)\]$/;
/** A text with several lines, or longer than any path, is not a path. */
const maxPathLength = 4_096;
/** A picture encoded as text, which may begin like a path. */
const base64 = /^[A-Za-z0-9+/]{100,}={0,2}$/;
const pushedName = /^(\.\/)*gw\//;

/**
 * Finds what in a graph leads to other users' files. `own` are the names under which the task's own files are on the
 * worker. A file that is lent has its name by the only input, `<node id>.<input>`, that may have it.
 */
export function workerPathsIn(
  graph: Graph,
  own: ReadonlySet<string>,
  lent: ReadonlyMap<string, string> = new Map(),
): WorkerPath[] {
  return Object.entries(graph).flatMap(([nodeId, { class_type: nodeClass, inputs }]) =>
    Object.entries(inputs).flatMap(([input, given]) => {
      const texts = isLink(given)
        ? []
        : [...textsIn(given)].filter((text) => !own.has(text) && lent.get(`${nodeId}.${input}`) !== text);
      return texts.flatMap((value) => {
        const path = readPath(value, input);
        return path ? [{ nodeId, nodeClass, input, value, isWhole: value === given, ...path }] : [];
      });
    }),
  );
}

function readPath(value: string, input: string): Pick<WorkerPath, 'to' | 'filename' | 'isDoubtful'> | null {
  const text = value.trim();
  if (text === '' || text.length > maxPathLength || text.includes('\n')) return null;
  const annotated = annotation.exec(text);
  const path = (annotated?.[1] ?? text).trimEnd().replaceAll('\\', '/');
  const filename = path.slice(path.lastIndexOf('/') + 1);
  if (isPrefixInput(input)) {
    return leadsOut(path) ? { to: 'beyond', filename, isDoubtful: false } : null;
  }
  const area = annotated?.[2];
  const isDoubtful = !fileInput.test(input);
  if (area === 'output' || area === 'temp') return { to: area, filename, isDoubtful };
  const to = base64.test(text) ? null : placeOf(path, area === 'input');
  return to && { to, filename, isDoubtful };
}

/** Returns null for a path below the worker's inputs. */
function placeOf(path: string, isBelowInputs: boolean): WorkerPath['to'] | null {
  if (leadsOut(path)) return 'outside';
  if (pushedName.test(path)) return 'pushed';
  // Nodes that take a folder start from the worker's own folder, which contains its outputs.
  const [first = ''] = path.replace(/^(\.\/+)+/, '').split('/');
  return !isBelowInputs && path.includes('/') && (first === 'output' || first === 'temp') ? first : null;
}

function leadsOut(path: string): boolean {
  return /^(\/|~|[a-z]:|file:)/i.test(path) || path.split('/').includes('..');
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) yield* textsIn(inner);
  }
}
