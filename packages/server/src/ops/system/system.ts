import { createRequire } from 'node:module';
import { type Retention, type SystemReport, systemLimits } from '@switchyard/contract/system';
import type { ThreadRetentionStore } from '../../conversation/expiry/thread-retention-store.ts';
import type { DispatchUpkeep } from '../../dispatch/monitor/upkeep.ts';
import type { Health } from '../../http/health/health.ts';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Actor, Audit } from '../../platform/audit/audit.ts';
import type { AuditStore } from '../../platform/audit/audit-store.ts';
import type { Database } from '../../platform/database/database.ts';
import { databaseSize } from '../../platform/database/database-size.ts';
import type { ReadTogether } from '../../platform/database/snapshot.ts';
import type { Disk } from '../../platform/files/disk.ts';
import type { JobRecords, Jobs, Schedule } from '../../platform/jobs/jobs.ts';
import type { LeaseStore } from '../../platform/ownership/lease-store.ts';
import type { Ownership } from '../../platform/ownership/ownership.ts';
import type { FolderSizes, MeasuredFolders } from './folder-sizes.ts';

interface SystemOptions {
  version: string;
  database: Database<unknown>;
  busState: () => BusState;
  health: Pick<Health, 'readiness'>;
  together: ReadTogether<SystemRows>;
  jobs: Pick<Jobs, 'retry' | 'deadKeptMs'>;
  ownership: Pick<Ownership, 'holder'>;
  audit: { part: Audit['part']; keptMs: number };
  /** `conversation.thread_retention`; null when threads stay. */
  threadsKeptMs: number | null;
  folders: FolderSizes;
  writtenFolders: readonly string[];
  disk: Pick<Disk, 'freeBytes'>;
  clock: Clock;
}

/** The way in which the replicas reach each other. */
export interface BusState {
  kind: string;
  latencyMs: number | null;
  /** A sentence for operators while Redis does not do what it should. */
  fault: string | null;
}

interface Taken {
  takenAtMs: number;
  /** Null while the folders are measured for the first time. */
  measured: MeasuredFolders | null;
}

type StoredPart = Pick<SystemReport, 'replicas' | 'deadJobs' | 'schedules' | 'retention'> & {
  storage: Omit<SystemReport['storage'], 'freeBytes'>;
};

/** Answers what an operator asks about the whole gateway. */
export class System {
  readonly #options: SystemOptions;
  readonly #libraries = libraryVersions();
  readonly #startedAtMs: number;

  constructor(options: SystemOptions) {
    this.#options = options;
    this.#startedAtMs = options.clock();
  }

  async report(): Promise<SystemReport> {
    const { clock, version, folders } = this.#options;
    const takenAtMs = clock();
    const measured = folders.last();
    const [dependencies, freeBytes, stored] = await Promise.all([
      this.#dependencies(),
      this.#freeBytes(),
      this.#options.together((rows) => this.#stored(rows, { takenAtMs, measured })),
    ]);
    const { storage, ...records } = stored;
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
      ...records,
      storage: { ...storage, freeBytes },
    };
  }

  /** Throws `job_not_found` for a job that is not dead. */
  async retry(jobId: string, actor: Actor): Promise<'waiting' | 'replaced'> {
    const { jobs, audit } = this.#options;
    const record = audit.part(actor, { action: 'job.retried', target: ['job', jobId] });
    const outcome = await jobs.retry(jobId, record);
    if (outcome === null) throw new AppError('job_not_found');
    return outcome;
  }

  async #dependencies(): Promise<SystemReport['dependencies']> {
    const { health, database, busState } = this.#options;
    const { dependencies } = await health.readiness();
    const kinds: Record<string, string> = { database: database.backend, storage: 'disk' };
    const asked = dependencies.map(({ name, ok, latencyMs }) => ({
      name,
      kind: kinds[name] ?? name,
      ok,
      latencyMs,
      detail: ok ? null : `The ${name} does not answer, or takes nothing.`,
    }));
    const { kind, latencyMs, fault } = busState();
    const detail = kind === 'memory' ? 'It is in this process.' : fault;
    return [...asked, { name: 'bus', kind, ok: fault === null, latencyMs, detail }];
  }

  async #freeBytes(): Promise<SystemReport['storage']['freeBytes']> {
    const { writtenFolders, disk } = this.#options;
    return Promise.all(
      writtenFolders.map(async (folder) => ({ folder, bytes: await disk.freeBytes(folder) })),
    );
  }

  /** All that rows say, from one snapshot. */
  async #stored(rows: SystemRows, { takenAtMs, measured }: Taken): Promise<StoredPart> {
    const schedules = await rows.jobs.schedules();
    const dead = await rows.jobs.dead(systemLimits.deadJobs);
    return {
      replicas: await this.#replicas(rows),
      deadJobs: {
        total: await rows.jobs.countDead(),
        items: dead.map(({ payload: _payload, ...job }) => job),
      },
      schedules: schedules.map(({ kind, everyMs, nextAtMs, lastError }) => ({
        kind,
        everySeconds: Math.round(everyMs / 1000),
        nextAt: nextAtMs === null ? null : toIso(nextAtMs),
        lastError,
      })),
      storage: await storageOf(rows, measured),
      retention: await this.#retention(rows, { schedules, takenAtMs }),
    };
  }

  async #replicas({ leases }: SystemRows): Promise<SystemReport['replicas']> {
    const { ownership } = this.#options;
    const held = new Map<string, SystemReport['replicas'][number]['holds']>([[ownership.holder, []]]);
    for (const { key, holder } of await leases.current(systemLimits.leases)) {
      const holds = held.get(holder) ?? [];
      held.set(holder, [...holds, { key, what: leaseInWords(key) }]);
    }
    return [...held].map(([id, holds]) => ({ id, isThis: id === ownership.holder, holds }));
  }

  async #retention(
    { jobs: records, upkeep, countAudit, countThreads }: SystemRows,
    { schedules, takenAtMs }: { schedules: readonly Schedule[]; takenAtMs: number },
  ): Promise<Retention[]> {
    const { audit, jobs, threadsKeptMs } = this.#options;
    const nextOf = (kind: string): number | null =>
      schedules.find((schedule) => schedule.kind === kind)?.nextAtMs ?? null;
    const auditAtMs = nextOf('audit.forget');
    const jobsAtMs = nextOf('jobs.prune');
    const threadsAtMs = nextOf('threads.retain');
    const ofDispatch = (await upkeep?.retention(nextOf, takenAtMs)) ?? [];
    const audits = await countAudit((auditAtMs ?? takenAtMs) - audit.keptMs, systemLimits.counted + 1);
    const threads =
      countThreads === null || threadsKeptMs === null
        ? 0
        : await countThreads(toIso((threadsAtMs ?? takenAtMs) - threadsKeptMs), systemLimits.counted + 1);
    const dead = await records.countDead((jobsAtMs ?? takenAtMs) - jobs.deadKeptMs);
    return [
      ...ofDispatch,
      ...(countThreads === null
        ? []
        : [retentionOf('threads', { keptMs: threadsKeptMs, nextAtMs: threadsAtMs, count: threads })]),
      retentionOf('audit', { keptMs: audit.keptMs, nextAtMs: auditAtMs, count: audits }),
      retentionOf('dead_jobs', { keptMs: jobs.deadKeptMs, nextAtMs: jobsAtMs, count: dead }),
    ];
  }
}

function retentionOf(
  what: Retention['what'],
  { keptMs, nextAtMs, count }: { keptMs: number | null; nextAtMs: number | null; count: number },
): Retention {
  return {
    what,
    keptSeconds: keptMs === null ? null : Math.round(keptMs / 1000),
    nextAt: nextAtMs === null ? null : toIso(nextAtMs),
    count: Math.min(count, systemLimits.counted),
    countIsMinimum: count > systemLimits.counted,
    bytes: null,
  };
}

const leaseWords: readonly (readonly [prefix: string, say: (name: string) => string])[] = [
  ['dispatch', () => 'places tasks and looks after the workers'],
  ['runs:', () => 'works on runs of agents'],
  ['channel:', (name) => `receives the messages of ${name}`],
  ['channel-reply:', () => 'sends a reply to a channel'],
  ['memory:', () => 'changes the memory of a user'],
  ['agents:', () => 'changes the agents of a user'],
  ['skills', () => 'changes the skills'],
  ['extensions', () => 'changes the tools and the switches of skills'],
  ['replica:redis:', () => 'is a replica that hears of the others through Redis'],
  ['replica:database:', () => 'is a replica that hears of the others through the database alone'],
  ['gateway', () => 'is the only gateway of this database'],
];

/** Says in plain words what a process does that holds a lease. */
function leaseInWords(key: string): string {
  const known = leaseWords.find(([prefix]) => key.startsWith(prefix));
  return known ? known[1](key.slice(known[0].length)) : `holds ${key}`;
}

const libraries = [
  '@langchain/core',
  '@langchain/langgraph',
  '@langchain/openai',
  '@photostructure/sqlite',
  'bcrypt',
  'sharp',
] as const;

/** The versions of the libraries that are installed beside the gateway, read from their own descriptions. */
function libraryVersions(): Record<string, string> {
  const require = createRequire(import.meta.url);
  const versions: Record<string, string> = {};
  for (const name of libraries) {
    const version = versionOf(require, name);
    if (version !== undefined) versions[name] = version;
  }
  return versions;
}

/** Returns undefined for a library that is not installed, or keeps its description to itself. */
function versionOf(require: NodeJS.Require, name: string): string | undefined {
  try {
    return (require(`${name}/package.json`) as { version: string }).version;
  } catch {
    return undefined;
  }
}

/** Returns what is stored, by its kind and by its user. */
async function storageOf(
  rows: SystemRows,
  measured: MeasuredFolders | null,
): Promise<Omit<SystemReport['storage'], 'freeBytes'>> {
  const files = (await rows.upkeep?.storage(systemLimits.users)) ?? { bytes: 0, count: 0, top: [] };
  const threads = [...(measured?.byUser.values() ?? [])].reduce((sum, bytes) => sum + bytes, 0);
  return {
    byKind: [
      { kind: 'files', bytes: files.bytes, count: files.count },
      { kind: 'threads', bytes: threads, count: null },
      { kind: 'thumbnails', bytes: measured?.thumbnails ?? 0, count: null },
      { kind: 'other', bytes: measured?.other ?? 0, count: null },
      { kind: 'database', bytes: await databaseSize(rows.database), count: null },
    ],
    byUser: await byUser(files.top, { measured, rows }),
    foldersTakenAt: measured && toIso(measured.takenAtMs),
    foldersComplete: measured?.isComplete ?? false,
  };
}

async function byUser(
  top: readonly { owner: string; bytes: number; count: number }[],
  { measured, rows }: { measured: MeasuredFolders | null; rows: SystemRows },
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
  return Promise.all(most.map(async (user) => ({ ...user, email: await rows.emailOf(user.userId) })));
}

/** Everything that the report reads from the database. */
interface SystemRows {
  database: Database<unknown>;
  jobs: JobRecords;
  leases: Pick<LeaseStore, 'current'>;
  /** Null when the area is switched off. */
  upkeep: DispatchUpkeep | null;
  countAudit: AuditStore['countBefore'];
  /** Null when the area is switched off. */
  countThreads: ThreadRetentionStore['countAll'] | null;
  emailOf: (userId: string) => Promise<string | null>;
}
