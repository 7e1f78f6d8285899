import { access } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { loadLangchain } from '../langchain.ts';
import { AgentFault } from './agent-fault.ts';
import { faultOf, lineThatExports, shown } from './load-agent-fault.ts';
import type { AgentModules } from './load-agent-modules.ts';

/** The place of an export in a user's own file. */
export interface ExportPlace {
  /** Absolute path. */
  file: string;
  exportName: string;
  /** Messages show paths relative to it. */
  cwd: string;
}

/** Reads `./src/agent.ts:graph`. Without an export the default export is used. */
export function placeOf(target: string, cwd: string): ExportPlace {
  const at = target.lastIndexOf(':');
  const path = at <= 0 ? target : target.slice(0, at);
  return { file: resolve(cwd, path), exportName: at <= 0 ? 'default' : target.slice(at + 1), cwd };
}

/** Loads what a file exports under a name. An error in the file becomes an AgentFault that names the place. */
export async function loadExport(place: ExportPlace, modules: AgentModules): Promise<unknown> {
  const { file, exportName, cwd } = place;
  const name = shown(file, cwd);
  await requireLoadable(file, name);
  return faultsAt(place, async () => {
    const all = await loadLangchain(() => modules.import(file));
    if (!Object.hasOwn(all, exportName)) throw new AgentFault(missing(exportName, all), { file: name });
    return await all[exportName];
  });
}

/** An error of the user's own code becomes an AgentFault that names the place. */
export async function faultsAt<Result>(
  place: ExportPlace,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw faultOf(error, place);
  }
}

/** The fault of an export that is something else than it must be. */
export function wrongExport(
  { file, exportName, cwd }: ExportPlace,
  value: unknown,
  rule: string,
): AgentFault {
  return new AgentFault(`\`${exportName}\` is ${kindOf(value)}; ${rule}`, {
    file: shown(file, cwd),
    line: lineThatExports(file, exportName),
  });
}

const loadable = new Set(['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx']);

async function requireLoadable(file: string, name: string): Promise<void> {
  if (!loadable.has(extname(file))) {
    throw new AgentFault('only TypeScript and JavaScript can be loaded', { file: name });
  }
  try {
    await access(file);
  } catch (cause) {
    throw new AgentFault('there is no such file', { file: name, cause });
  }
}

function missing(exportName: string, all: Record<string, unknown>): string {
  const names = Object.keys(all).filter((name) => name !== 'module.exports');
  const others = names.length === 0 ? 'it exports nothing' : `it exports ${names.slice(0, 10).join(', ')}`;
  return `has no export named \`${exportName}\`; ${others}`;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  const name = value.constructor?.name;
  return name && name !== 'Object' ? `an object of class ${name}` : 'a plain object';
}
