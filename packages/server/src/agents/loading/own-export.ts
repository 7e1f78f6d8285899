import { AgentFault } from './agent-fault.ts';
import type { AgentModules } from './load-agent-modules.ts';
import { type ExportPlace, loadExport, placeOf } from './load-export.ts';

export interface OwnExportPlace {
  /** `./src/app.ts:app`. */
  target: string;
  cwd: string;
  modules: AgentModules;
}

/** Something that langgraph.json names besides graphs. It is loaded on its first use, and after a fault again. */
export class OwnExport<Value> {
  readonly #place: OwnExportPlace;
  readonly #read: (exported: unknown, place: ExportPlace) => Value;
  #loading: Promise<Value> | undefined;
  #hasFailed = false;

  /** `read` throws an AgentFault when the export is something else than it must be. */
  constructor(place: OwnExportPlace, read: (exported: unknown, place: ExportPlace) => Value) {
    this.#place = place;
    this.#read = read;
  }

  /** Throws an AgentFault when the file cannot be loaded. */
  async value(): Promise<Value> {
    if (this.#loading !== undefined) return this.#loading;
    if (this.#hasFailed) this.#place.modules.renewIfChanged();
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

  /** Returns what is wrong with the file; null when it can be used. */
  async fault(): Promise<AgentFault | null> {
    return this.value().then(
      () => null,
      (error: unknown) => AgentFault.from(error),
    );
  }

  /** The next use loads the file again. */
  forget(): void {
    this.#loading = undefined;
  }

  async #load(): Promise<Value> {
    const { target, cwd, modules } = this.#place;
    const place = placeOf(target, cwd);
    return this.#read(await loadExport(place, modules), place);
  }
}
