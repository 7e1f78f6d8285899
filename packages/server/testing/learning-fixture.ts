import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MemoryDocument } from '@switchyard/contract/conversation/memory';
import { LearningStore } from '../src/conversation/memory/learning-store.ts';
import { Memories } from '../src/conversation/memory/memories.ts';
import { MemoryFiles, type MemoryKey } from '../src/conversation/memory/memory-files.ts';
import { type AskModel, type EndedTurn, MemoryLearning } from '../src/conversation/memory/memory-learning.ts';
import { MemoryLock } from '../src/conversation/memory/memory-lock.ts';
import { conversationMigrations } from '../src/conversation/migrations.ts';
import type { ConversationTables } from '../src/conversation/tables.ts';
import type { Database } from '../src/platform/database/database.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import type { Jobs } from '../src/platform/jobs/jobs.ts';
import { jobMigrations } from '../src/platform/jobs/migrations.ts';
import { ChangeLock } from '../src/platform/ownership/change-lock.ts';
import { JobFleet } from './job-fleet.ts';

const debounceMs = 1_000;

/** The part of a gateway process that learns. */
export interface LearningProcess {
  learning: MemoryLearning;
  memories: Memories;
  store: LearningStore;
  jobs: Jobs;
  /** Does what the end of a run does. */
  say(text: string, more?: Partial<EndedTurn>): Promise<void>;
  /** Has the effect of `kill -9`. */
  kill(): void;
}

export interface ProcessChanges {
  ask?: AskModel | null;
  isThere?: (key: MemoryKey) => Promise<boolean>;
  store?: LearningStore;
  wrapMemories?: (memories: Memories) => Pick<Memories, 'get' | 'learn'>;
}

/** Processes that learn over one database and one data home, with a model whose answers the test sets. */
export class LearningFixture {
  readonly fleet: JobFleet;
  readonly database: Database<ConversationTables>;
  readonly home: string;
  /** The prompts that the model received, in order. */
  readonly prompts: string[] = [];
  readonly warnings: string[] = [];
  /** Returns the answer of the model. */
  answer: (prompt: string) => Promise<string> = async () => factsJson('Likes tea');
  readonly #running = new Set<LearningProcess>();
  #runs = 0;

  static async open(connect: () => Promise<Database<unknown>>, home: string): Promise<LearningFixture> {
    const fleet = await JobFleet.open(connect);
    await migrate(fleet.database.withTables(), 'jobs', jobMigrations);
    await migrate(fleet.database.withTables(), 'conversation', conversationMigrations);
    return new LearningFixture(fleet, home);
  }

  private constructor(fleet: JobFleet, home: string) {
    this.fleet = fleet;
    this.database = fleet.database.withTables();
    this.home = home;
  }

  async start(changes: ProcessChanges = {}): Promise<LearningProcess> {
    const { jobs, time } = await this.fleet.newProcess({ isAlone: true });
    const clock = this.fleet.databaseClock.now;
    const store = changes.store ?? new LearningStore(this.database);
    const memories = new Memories({
      files: new MemoryFiles(this.home),
      lock: new MemoryLock(new ChangeLock(null)),
      forgetWaiting: (key) => store.dropOf(key),
      clock,
      options: {
        enabled: true,
        learns: true,
        injection: true,
        maxFacts: 20,
        maxInjectionTokens: 1_000,
        debounceMs,
        minConfidence: 0.5,
      },
    });
    const asked: AskModel = async (prompt) => {
      this.prompts.push(prompt);
      return this.answer(prompt);
    };
    const learning = new MemoryLearning({
      store,
      memories: changes.wrapMemories?.(memories) ?? memories,
      jobs,
      ask: changes.ask === undefined ? asked : changes.ask,
      isThere: changes.isThere ?? (async () => true),
      settings: { debounceMs, model: null, minConfidence: 0.5 },
      clock,
      timer: time.timer,
      log: { warn: (_details, message) => void this.warnings.push(message) },
    });
    await jobs.start();
    const process: LearningProcess = {
      learning,
      memories,
      store,
      jobs,
      say: (text, more = {}) => this.#say(learning, text, more),
      kill: () => {
        this.fleet.stop(jobs);
        this.#running.delete(process);
      },
    };
    this.#running.add(process);
    return process;
  }

  async memoryOf(userId: string, agent: string | null = null): Promise<MemoryDocument> {
    return new MemoryFiles(this.home).read({ userId, agent });
  }

  async contentsOf(userId: string, agent: string | null = null): Promise<string[]> {
    return (await this.memoryOf(userId, agent)).facts.map(({ content }) => content);
  }

  /** Returns the number of waiting rows. */
  async waiting(): Promise<number> {
    const turns = await this.database.read.selectFrom('memory_turns').select('run_id').execute();
    const changes = await this.database.read.selectFrom('memory_changes').select('thread_id').execute();
    return turns.length + changes.length;
  }

  /** Lets time pass until the condition holds. The test's own time limit ends it. */
  async until(isSo: () => boolean | Promise<boolean>, stepMs = 500): Promise<void> {
    while (!(await isSo())) {
      await this.fleet.pass(stepMs);
      await nextTurn();
    }
  }

  async close(): Promise<void> {
    for (const { learning, jobs } of this.#running) {
      learning.close();
      const closed = jobs.close(1_000);
      await this.fleet.pass(3_000);
      await closed;
    }
    await this.fleet.close();
  }

  async #say(learning: MemoryLearning, text: string, more: Partial<EndedTurn>): Promise<void> {
    this.#runs += 1;
    const turn: EndedTurn = {
      userId: 'ada',
      threadId: 'thread-1',
      agent: null,
      runId: `run-${String(this.#runs).padStart(3, '0')}`,
      turn: { before: null, said: [{ role: 'user', text }] },
      ...more,
    };
    await this.database.write((trx) => learning.keep(trx, turn));
  }
}

/** Returns an answer in the format of a model. */
export function factsJson(...contents: string[]): string {
  const facts = contents.map((content) => ({ content, category: 'preference', confidence: 0.9 }));
  return JSON.stringify({ facts, outdated: [] });
}
