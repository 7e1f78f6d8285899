import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AgentFault } from './agent-fault.ts';

interface Place {
  path: string;
  line: number | null;
}

/**
 * Describes what went wrong while a file was loaded, with the line of the user's own code that is at fault: where the syntax
 * breaks, where a missing module is imported, or the innermost own line of a thrown error's stack.
 */
export function faultOf(error: unknown, { file, cwd }: { file: string; cwd: string }): AgentFault {
  if (error instanceof AgentFault) return error;
  const { message, stack } = textsOf(error);
  const syntax = transformFault(message);
  const place =
    syntax?.place ??
    importFault(message) ??
    firstOwnLine(stack.includes(message) ? stack : `${message}\n${stack}`) ??
    ({ path: file, line: null } satisfies Place);
  return new AgentFault(withoutPaths(syntax?.message ?? message, cwd), {
    file: shown(place.path, cwd),
    line: place.line,
    cause: error,
  });
}

/** Returns a path relative to where the gateway was started, because clients must not see paths of the host. */
export function shown(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  return inside.startsWith('..') ? (path.split('/').at(-1) ?? path) : inside;
}

function textsOf(error: unknown): { message: string; stack: string } {
  if (!(error instanceof Error)) return { message: String(error), stack: '' };
  return { message: error.message, stack: error.stack ?? '' };
}

/** Reads esbuild's message: `Transform failed with 1 error:\n/path/agent.ts:3:9: ERROR: Unexpected "="`. */
function transformFault(message: string): { place: Place; message: string } | null {
  const match = /^(.+?):(\d+):\d+: ERROR: (.+)$/m.exec(message);
  if (!match?.[1] || !match[3]) return null;
  return { place: { path: withoutQuery(match[1]), line: Number(match[2]) }, message: match[3] };
}

/** Reads `Cannot find package 'x' imported from /path/agent.ts` and finds the line that names the package. */
function importFault(message: string): Place | null {
  const match = /^Cannot find (?:package|module) '(.+?)' imported from (.+)$/m.exec(message);
  if (!match?.[1] || !match[2]) return null;
  const path = pathOf(match[2]);
  if (isForeign(path)) return null;
  return { path, line: lineThatNames(path, match[1]) };
}

function lineThatNames(path: string, missing: string): number | null {
  const name = withoutQuery(missing).split('/').slice(-1)[0] ?? missing;
  const stem = name.replace(/\.[cm]?[jt]sx?$/, '');
  return lineWith(path, (line) => /\b(import|export|require)\b/.test(line) && line.includes(stem));
}

/** Finds the line on which a file exports a name. */
export function lineThatExports(path: string, exportName: string): number | null {
  return lineWith(path, (line) => /\bexport\b/.test(line) && line.split(/\W+/).includes(exportName));
}

function lineWith(path: string, isMeant: (line: string) => boolean): number | null {
  try {
    const index = readFileSync(path, 'utf8').split('\n').findIndex(isMeant);
    return index < 0 ? null : index + 1;
  } catch {
    return null;
  }
}

/** Finds the first line of a stack that belongs neither to Node nor to a package nor to the gateway. */
function firstOwnLine(stack: string): Place | null {
  for (const line of stack.split('\n')) {
    const match = /(?:^|\(|\s)((?:file:\/\/)?\/[^\s()]+?):(\d+)(?::\d+)?\)?$/.exec(line);
    if (!match?.[1]) continue;
    const path = pathOf(match[1]);
    if (!isForeign(path)) return { path, line: Number(match[2]) };
  }
  return null;
}

function isForeign(path: string): boolean {
  return path.includes('/node_modules/') || path === ownPath;
}

function pathOf(text: string): string {
  const plain = withoutQuery(text);
  return plain.startsWith('file://') ? fileURLToPath(plain) : plain;
}

function withoutQuery(text: string): string {
  return text.replace(/[?#].*$/, '');
}

function withoutPaths(message: string, cwd: string): string {
  const [first = ''] = message.split('\n');
  return first
    .replace(/ imported from .*$/, '')
    .replaceAll('file://', '')
    .replaceAll(`${cwd}/`, '')
    .replace(/\?[\w-]*namespace=[\w-]+/g, '')
    .slice(0, 500);
}

const ownPath = fileURLToPath(import.meta.url);
