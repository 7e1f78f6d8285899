import { type Retention, type SystemReport, systemLimits } from '@switchyard/contract/system';
import type { DispatchUpkeep } from '../../dispatch/monitor/upkeep.ts';
import type { Health } from '../../http/health/health.ts';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Actor, Audit } from '../../platform/audit/audit.ts';
import type { Database } from '../../platform/database/database.ts';
import { databaseSize } from '../../platform/database/database-size.ts';
import type { Disk } from '../../platform/files/disk.ts';
import type { Jobs, Schedule } from '../../platform/jobs/jobs.ts';
import type { Ownership } from '../../platform/ownership/ownership.ts';
import type { FolderSizes, MeasuredFolders } from './folder-sizes.ts';
import { leaseInWords } from './lease-words.ts';
import { libraryVersions } from './library-versions.ts';

interface SystemOptions {
  version: string;
  database: Database<unknown>;
  busKind: string;
  health: Pick<Health, 'readiness'>;
  jobs: Pick<Jobs, 'dead' | 'countDead' | 'retry' | 'schedules' | 'deadKeptMs'>;
  ownership: Pick<Ownership, 'holder' | 'current'>;
  /** Null when the area is switched off. */
  upkeep: DispatchUpkeep | null;
  audit: { store: Pick<Audit, 'countOlderThan' | 'part'>; keptMs: number };
  folders: FolderSizes;
  writtenFolders: readonly string[];
  disk: Pick<Disk, 'freeBytes'>;
  emailOf: (userId: string) => Promise<string | null>;
  clock: Clock;
}

/** What an operator asks about the whole gateway. */
export class System {
  readonly #options: SystemOptions;
  readonly #libraries = libraryVersions();
  readonly #startedAtMs: number;

  constructor(options: SystemOptions) {
    this.#options = options;
    this.#startedAtMs = options.clock();
  }

  async report(): Promise<SystemReport> {
    const { jobs, clock, version } = this.#options;
    const takenAtMs = clock();
    const schedules = await jobs.schedules();
    const [dependencies, replicas, dead, total, storage, retention] = await Promise.all([
      this.#dependencies(),
      this.#replicas(),
      jobs.dead(systemLimits.deadJobs),
      jobs.countDead(),
      this.#storage(),
      this.#retention(schedules, takenAtMs),
    ]);
    const { rss, heapUsed } = process.memoryUsage();
    return {
      takenAt: toIso(takenAtMs),
      startedAt: toIso(this.#startedAtMs),
      versions: {
        gateway: version,
        node: process.versions.node,
        platform: `${process.platform}-${process.arch}`,
        libraries: this.#libraries,
      },
      process: { pid: process.pid, memoryBytes: rss, heapBytes: heapUsed },
      dependencies,
      replicas,
      deadJobs: { total, items: dead.map(({ payload: _payload, ...job }) => job) },
      schedules: schedules.map(({ kind, everyMs, nextAtMs, lastError }) => ({
        kind,
        everySeconds: Math.round(everyMs / 1000),
        nextAt: nextAtMs === null ? null : toIso(nextAtMs),
        lastError,
      })),
      storage,
      retention,
    };
  }

  /** Throws `job_not_found` for a job that is not dead. */
  async retry(jobId: string, actor: Actor): Promise<'waiting' | 'replaced'> {
    const { jobs, audit } = this.#options;
    const record = audit.store.part(actor, { action: 'job.retried', target: ['job', jobId] });
    const outcome = await jobs.retry(jobId, record);
    if (outcome === null) throw new AppError('job_not_found');
    return outcome;
  }

  async #dependencies(): Promise<SystemReport['dependencies']> {
    const { health, database, busKind } = this.#options;
    const { dependencies } = await health.readiness();
    const kinds: Record<string, string> = { database: database.backend, storage: 'disk' };
    const asked = dependencies.map(({ name, ok, latencyMs }) => ({
      name,
      kind: kinds[name] ?? name,
      ok,
      latencyMs,
      detail: ok ? null : `The ${name} does not answer, or takes nothing.`,
    }));
    return [
      ...asked,
      { name: 'bus', kind: busKind, ok: true, latencyMs: null, detail: 'It is in this process.' },
    ];
  }

  async #replicas(): Promise<SystemReport['replicas']> {
    const { ownership } = this.#options;
    const held = new Map<string, SystemReport['replicas'][number]['holds']>([[ownership.holder, []]]);
    for (const { key, holder } of await ownership.current(systemLimits.leases)) {
      const holds = held.get(holder) ?? [];
      held.set(holder, [...holds, { key, what: leaseInWords(key) }]);
    }
    return [...held].map(([id, holds]) => ({ id, isThis: id === ownership.holder, holds }));
  }

  async #storage(): Promise<SystemReport['storage']> {
    const { upkeep, database, folders, writtenFolders, disk } = this.#options;
    const measured = folders.last();
    const [files, databaseBytes, freeBytes] = await Promise.all([
      upkeep?.storage(systemLimits.users) ?? { bytes: 0, count: 0, top: [] },
      databaseSize(database),
      Promise.all(writtenFolders.map(async (folder) => ({ folder, bytes: await disk.freeBytes(folder) }))),
    ]);
    const threads = [...(measured?.byUser.values() ?? [])].reduce((sum, bytes) => sum + bytes, 0);
    return {
      byKind: [
        { kind: 'files', bytes: files.bytes, count: files.count },
        { kind: 'threads', bytes: threads, count: null },
        { kind: 'thumbnails', bytes: measured?.thumbnails ?? 0, count: null },
        { kind: 'other', bytes: measured?.other ?? 0, count: null },
        { kind: 'database', bytes: databaseBytes, count: null },
      ],
      byUser: await this.#byUser(files.top, measured),
      foldersTakenAt: measured && toIso(measured.takenAtMs),
      foldersComplete: measured?.isComplete ?? false,
      freeBytes,
    };
  }

  async #byUser(
    top: readonly { owner: string; bytes: number; count: number }[],
    measured: MeasuredFolders | null,
  ): Promise<SystemReport['storage']['byUser']> {
    const ofFiles = new Map(top.map((entry) => [entry.owner, entry]));
    const ids = new Set([...ofFiles.keys(), ...(measured?.byUser.keys() ?? [])]);
    const users = [...ids].map((userId) => ({
      userId,
      fileBytes: ofFiles.get(userId)?.bytes ?? 0,
      files: ofFiles.get(userId)?.count ?? 0,
      threadBytes: measured?.byUser.get(userId) ?? 0,
    }));
    const most = users
      .sort((a, b) => b.fileBytes + b.threadBytes - (a.fileBytes + a.threadBytes))
      .slice(0, systemLimits.users);
    return Promise.all(
      most.map(async (user) => ({ ...user, email: await this.#options.emailOf(user.userId) })),
    );
  }

  async #retention(schedules: readonly Schedule[], nowMs: number): Promise<Retention[]> {
    const { upkeep, audit, jobs } = this.#options;
    const nextOf = (kind: string): number | null =>
      schedules.find((schedule) => schedule.kind === kind)?.nextAtMs ?? null;
    const auditAtMs = nextOf('audit.forget');
    const jobsAtMs = nextOf('jobs.prune');
    const [ofDispatch, audits, dead] = await Promise.all([
      upkeep?.retention(nextOf, nowMs) ?? [],
      audit.store.countOlderThan((auditAtMs ?? nowMs) - audit.keptMs, systemLimits.counted + 1),
      jobs.countDead((jobsAtMs ?? nowMs) - jobs.deadKeptMs),
    ]);
    return [
      ...ofDispatch,
      retentionOf('audit', { keptMs: audit.keptMs, nextAtMs: auditAtMs, count: audits }),
      retentionOf('dead_jobs', { keptMs: jobs.deadKeptMs, nextAtMs: jobsAtMs, count: dead }),
    ];
  }
}

function retentionOf(
  what: Retention['what'],
  { keptMs, nextAtMs, count }: { keptMs: number; nextAtMs: number | null; count: number },
): Retention {
  return {
    what,
    keptSeconds: Math.round(keptMs / 1000),
    nextAt: nextAtMs === null ? null : toIso(nextAtMs),
    count: Math.min(count, systemLimits.counted),
    countIsMinimum: count > systemLimits.counted,
    bytes: null,
  };
}
