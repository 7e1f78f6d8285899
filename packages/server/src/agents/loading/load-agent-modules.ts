import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

type Import = (url: string, parentUrl: string) => Promise<Record<string, unknown>>;

/**
 * Imports users' own files, TypeScript included, with their own module resolution. A generation is a set of imports that share
 * modules. Within a generation each file is loaded once; the next generation reads files from disk again.
 */
export class AgentModules {
  readonly #onLoad: (file: string) => void;
  #generation: Promise<Import> | null = null;
  /** The files of this generation, each with how it looked when it was loaded. */
  readonly #loaded = new Map<string, string>();

  /** `onLoad` is called with each file that is loaded, except files of packages. */
  constructor({ onLoad = () => {} }: { onLoad?: (file: string) => void } = {}) {
    this.#onLoad = onLoad;
  }

  async import(file: string): Promise<Record<string, unknown>> {
    this.#generation ??= beginGeneration((loaded) => {
      this.#note(loaded);
      this.#onLoad(loaded);
    });
    const load = await this.#generation;
    this.#note(file);
    return load(pathToFileURL(file).href, import.meta.url);
  }

  /** Starts a new generation: later imports read files from disk. Modules in use stay as they are. */
  renew(): void {
    this.#generation = null;
    this.#loaded.clear();
  }

  /** Starts a new generation if a file of this one has changed. Node never evaluates a module again that has thrown. */
  renewIfChanged(): void {
    if ([...this.#loaded].some(([file, look]) => lookOf(file) !== look)) this.renew();
  }

  #note(file: string): void {
    if (!this.#loaded.has(file) && !file.includes('/node_modules/')) this.#loaded.set(file, lookOf(file));
  }
}

/** Changes when a file is written. */
function lookOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.size}` : 'gone';
}

async function beginGeneration(onLoad: (file: string) => void): Promise<Import> {
  const namespace = `agents-${randomUUID()}`;
  const [esm, cjs] = await loader();
  cjs.register({ namespace });
  const onImport = (url: string): void => {
    if (url.startsWith('file:')) onLoad(fileURLToPath(url.replace(/[?#].*$/, '')));
  };
  const scoped = esm.register({ namespace, onImport });
  // Registered after tsx's own hook, so that this one is called first.
  sharePackages(namespace);
  return scoped.import as Import;
}

/** Installed packages have it as an optional dependency: a gateway without code of its operator does without it. */
async function loader() {
  try {
    return await Promise.all([import('tsx/esm/api'), import('tsx/cjs/api')]);
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw cause;
    const install =
      'Install it beside the gateway: npm install tsx, with -g where the gateway was installed so.';
    throw new Error(`The package tsx, which reads your own code, is missing. ${install}`, { cause });
  }
}

/**
 * tsx would load everything that a generation imports separately from the rest of the process, packages included. Each generation
 * would get a second copy of LangGraph, which takes a second and 45 MB. So packages are resolved without the mark of the
 * generation.
 */
function sharePackages(namespace: string): void {
  // Node 22.15 and later: tsx runs in this thread there.
  const { registerHooks } = nodeModule as NewerNode;
  if (registerHooks) {
    registerHooks({
      resolve(specifier, context, next) {
        const parentURL = plainParent(namespace, specifier, context.parentURL);
        const found = parentURL === null ? null : attempt(() => next(specifier, { ...context, parentURL }));
        return found && isPackage(found.url) ? found : next(specifier, context);
      },
    });
    return;
  }
  nodeModule.register(`data:text/javascript,${encodeURIComponent(hookForNode20)}`, { data: { namespace } });
}

interface NewerNode {
  registerHooks?: (hooks: {
    resolve: (
      specifier: string,
      context: { parentURL?: string | undefined },
      next: (specifier: string, context: object) => { url: string },
    ) => { url: string };
  }) => void;
}

function plainParent(namespace: string, specifier: string, parentUrl: string | undefined): string | null {
  if (!parentUrl?.includes(namespace) || /^([./#]|\w+:)/.test(specifier)) return null;
  return parentUrl.slice(0, parentUrl.search(/[?#]/));
}

function isPackage(url: string): boolean {
  return !url.startsWith('file:') || url.includes('/node_modules/');
}

function attempt<Result>(resolve: () => Result): Result | null {
  try {
    return resolve();
  } catch {
    // It may be an alias of the tsconfig, which only tsx knows.
    return null;
  }
}

/** The same hook for Node 20, whose hooks run in a thread of their own and therefore are given as text. */
const hookForNode20 = `
  let namespace;
  export const initialize = (data) => { namespace = data.namespace; };
  export async function resolve(specifier, context, next) {
    const { parentURL } = context;
    if (!parentURL?.includes(namespace) || /^([./#]|\\w+:)/.test(specifier)) return next(specifier, context);
    const plain = parentURL.slice(0, parentURL.search(/[?#]/));
    const found = await next(specifier, { ...context, parentURL: plain }).catch(() => null);
    const isPackage = found && (!found.url.startsWith('file:') || found.url.includes('/node_modules/'));
    return isPackage ? found : next(specifier, context);
  }
`;
