import { isRecord } from '../../lib/is-record.ts';
import { AgentFault } from '../agent-fault.ts';
import type { AgentModules } from './load-agent-modules.ts';
import { loadExport, placeOf, wrongExport } from './load-export.ts';

export type WebHandler = (request: Request) => Promise<Response>;

interface OwnWebAppOptions {
  /** `./src/app.ts:app`. */
  target: string;
  cwd: string;
  modules: AgentModules;
}

/** The app that `http.app` of langgraph.json names. It is loaded on its first use, and after a fault again. */
export class OwnWebApp {
  readonly #options: OwnWebAppOptions;
  #loading: Promise<WebHandler> | undefined;
  #hasFailed = false;

  constructor(options: OwnWebAppOptions) {
    this.#options = options;
  }

  /** Throws an AgentFault when the file cannot be loaded. */
  async handler(): Promise<WebHandler> {
    if (this.#loading !== undefined) return this.#loading;
    if (this.#hasFailed) this.#options.modules.renewIfChanged();
    const loading = this.#load();
    this.#loading = loading;
    loading.then(
      () => {
        this.#hasFailed = false;
      },
      () => {
        this.#hasFailed = true;
        if (this.#loading === loading) this.#loading = undefined;
      },
    );
    return loading;
  }

  /** Returns what is wrong with the app; null when it can be used. */
  async fault(): Promise<AgentFault | null> {
    return this.handler().then(
      () => null,
      (error: unknown) => AgentFault.from(error),
    );
  }

  /** The next request loads the file again. */
  forget(): void {
    this.#loading = undefined;
  }

  async #load(): Promise<WebHandler> {
    const { target, cwd, modules } = this.#options;
    const place = placeOf(target, cwd);
    const app = await loadExport(place, modules);
    const isObject = isRecord(app) || typeof app === 'function';
    const fetches = isObject ? (app as { fetch?: unknown }).fetch : undefined;
    if (typeof fetches !== 'function') {
      throw wrongExport(place, app, 'export an app with a method fetch(request), for example one of Hono');
    }
    return async (request) => (await fetches.call(app, request)) as Response;
  }
}
