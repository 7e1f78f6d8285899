import { createHash } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import type { Instance } from '@switchyard/contract/dispatch/instance';
import type { Settings } from '@switchyard/contract/dispatch/settings';
import type { Instances } from '../../dispatch/fleet/instances.ts';
import { workerAddress } from '../../dispatch/instances/worker-address.ts';
import { type FileMark, readPageFile } from '../../dispatch/worker-client/comfyui/transfer.ts';
import { WorkerHttp } from '../../dispatch/worker-client/comfyui/worker-http.ts';
import { WorkerCallError } from '../../dispatch/worker-client/worker-client.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Timer } from '../../lib/async/timer.ts';
import type { Clock } from '../../lib/clock.ts';
import { minuteMs, secondMs } from '../../lib/time-units.ts';
import type { ProxySettings } from '../../platform/outbound/proxy-rules.ts';
import { workerPathOf } from './page-paths.ts';

export interface PageFilesOptions {
  instances: Pick<Instances, 'list'>;
  settings: () => Settings;
  /** The server whose page is shown; null means that of any worker. */
  server: string | null;
  lookup: LookupFunction;
  proxies?: ProxySettings;
  steadyClock: Clock;
  timer: Timer;
  limits?: Partial<typeof usualLimits>;
}

export interface ShownFile {
  contentType: string;
  body: Buffer;
  etag: string;
}

const usualLimits = {
  /** The largest parts of the page have some 10 MB. */
  fileBytes: 32 * 1024 * 1024,
  /** The page as a whole, with the scripts of many custom nodes. */
  keptBytes: 96 * 1024 * 1024,
  /** Files that are asked for at the same time; beyond it the browser asks again. */
  inFlight: 64,
};

/** The time for which a kept file counts as current. A worker with a newer page is noticed after it. */
const freshMs = minuteMs;
/** The time for which the choice of the worker stands. */
const chosenMs = 5 * secondMs;

/** More than the largest collections of custom nodes have. */
const maxExtensions = 5_000;

interface Kept {
  file: ShownFile;
  mark: FileMark;
  checkedMs: number;
}

interface Chosen {
  id: string;
  /** Changes whenever the page of the same worker may have changed. */
  version: string;
  http: WorkerHttp;
  atMs: number;
}

/**
 * The files of the page of one worker, kept in memory as long as that worker and its version stay the same. A worker that is chosen
 * stays chosen while it answers, since the files of one page belong together.
 */
export class PageFiles {
  readonly #options: PageFilesOptions;
  readonly #limits: typeof usualLimits;
  /** The kept files. The one with the oldest request comes first. */
  readonly #kept = new Map<string, Kept>();
  readonly #asking = new Map<string, Promise<ShownFile | null>>();
  #keptBytes = 0;
  #chosen: Chosen | null = null;

  constructor(options: PageFilesOptions) {
    this.#options = options;
    this.#limits = { ...usualLimits, ...options.limits };
  }

  /** Returns null for a file that the worker does not have. */
  async read(path: string): Promise<ShownFile | null> {
    const { http } = await this.#choose();
    const known = this.#kept.get(path);
    if (known) {
      this.#kept.delete(path);
      this.#kept.set(path, known);
      if (this.#options.steadyClock() - known.checkedMs < freshMs) return known.file;
    }
    const asked = this.#asking.get(path);
    if (asked !== undefined) return asked;
    if (this.#asking.size >= this.#limits.inFlight)
      throw new AppError('overloaded', { retryAfterSeconds: 1 });
    const asking = this.#ask(http, path, known).finally(() => this.#asking.delete(path));
    this.#asking.set(path, asking);
    return asking;
  }

  /** Returns the present answer at an address that an administrator has listed. It is not kept. */
  async readFresh(path: string): Promise<ShownFile | null> {
    const { http } = await this.#choose();
    const answer = await this.#call(http, path, undefined);
    return answer === null || answer === 'unchanged' ? null : shownFile(answer);
  }

  /** The scripts that the page loads besides its own, as far as they are passed on. */
  async extensions(): Promise<string[]> {
    const listed = parse((await this.read('/extensions'))?.body);
    return listed.slice(0, maxExtensions).filter((path) => workerPathOf(path, []) !== null);
  }

  close(): void {
    this.#chosen?.http.close();
    this.#forget();
  }

  async #ask(http: WorkerHttp, path: string, known: Kept | undefined): Promise<ShownFile | null> {
    const answer = await this.#call(http, path, known?.mark);
    // The worker may have been left meanwhile.
    const isCurrent = this.#chosen?.http === http;
    const checkedMs = this.#options.steadyClock();
    if (answer === 'unchanged' && known) {
      known.checkedMs = checkedMs;
      return known.file;
    }
    if (isCurrent) this.#drop(path);
    if (answer === null || answer === 'unchanged') return null;
    const file = shownFile(answer);
    if (isCurrent) this.#keep(path, { file, mark: answer.mark, checkedMs });
    return file;
  }

  async #call(http: WorkerHttp, path: string, known: FileMark | undefined) {
    const { timer } = this.#options;
    try {
      return await readPageFile(http, path, { known, maxBytes: this.#limits.fileBytes, timer });
    } catch (error) {
      if (!(error instanceof WorkerCallError)) throw error;
      // Another one may be chosen for the next request.
      if (this.#chosen?.http === http) this.#chosen.atMs = Number.NEGATIVE_INFINITY;
      throw new AppError('comfyui_page_away', { cause: error });
    }
  }

  #keep(path: string, kept: Kept): void {
    this.#kept.set(path, kept);
    this.#keptBytes += kept.file.body.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#keptBytes <= this.#limits.keptBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(path: string): void {
    this.#keptBytes -= this.#kept.get(path)?.file.body.length ?? 0;
    this.#kept.delete(path);
  }

  #forget(): void {
    this.#kept.clear();
    this.#keptBytes = 0;
  }

  async #choose(): Promise<Chosen> {
    const { instances, settings, server, steadyClock, timer, lookup, proxies } = this.#options;
    if (this.#chosen && steadyClock() - this.#chosen.atMs < chosenMs) return this.#chosen;
    const chosen = chosenOf(await instances.list(), { server, present: this.#chosen?.id });
    if (!chosen) throw new AppError('comfyui_page_away');
    const address = workerAddress(chosen, settings());
    const version = JSON.stringify([address, chosen.version]);
    const atMs = steadyClock();
    if (this.#chosen?.version === version) {
      this.#chosen.atMs = atMs;
      return this.#chosen;
    }
    this.#chosen?.http.close();
    this.#forget();
    this.#chosen = {
      id: chosen.id,
      version,
      http: new WorkerHttp(address, { timer, lookup, proxies }),
      atMs,
    };
    return this.#chosen;
  }
}

/**
 * Returns the one that is chosen already while it is there, otherwise one that has nothing to do, otherwise any. The built-in worker
 * comes last, since its page only stands in for a real one.
 */
function chosenOf(
  instances: readonly Instance[],
  { server, present }: { server: string | null; present: string | undefined },
): Instance | undefined {
  const allowed = instances.filter(
    ({ alive, enabled, serverId }) => alive && enabled && (server === null || serverId === server),
  );
  const real = allowed.filter(({ kind }) => kind === 'comfyui');
  const there = real.length > 0 ? real : allowed;
  return there.find(({ id }) => id === present) ?? there.find(({ busy }) => !busy) ?? there[0];
}

function shownFile({ contentType, body }: { contentType: string; body: Buffer }): ShownFile {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return { contentType, body, etag };
}

/** A worker that answers something else has none. */
function parse(body: Buffer | undefined): string[] {
  try {
    const listed: unknown = JSON.parse(String(body));
    return Array.isArray(listed) ? listed.filter((path) => typeof path === 'string') : [];
  } catch {
    return [];
  }
}
