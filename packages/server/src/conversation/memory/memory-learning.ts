import type { MemoryDocument } from '@switchyard/contract/conversation/memory';
import { deadline } from '../../lib/async/deadline.ts';
import type { Timer } from '../../lib/async/timer.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Owner } from '../../lib/owner.ts';
import { dayMs, hourMs, minuteMs, secondMs } from '../../lib/time-units.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import type { Job, JobPayload, Jobs } from '../../platform/jobs/jobs.ts';
import type { ConversationTables } from '../tables.ts';
import { extractionPrompt } from './extraction-prompt.ts';
import { type LearnedChange, learnedFrom } from './learned-facts.ts';
import type { KeptTurn, LearningStore, TurnKey } from './learning-store.ts';
import type { MemoryKey } from './memory-files.ts';
import type { SpokenTurn } from './spoken-turn.ts';

/** Sends a text to a model and returns its text. Null selects the default model. */
export type AskModel = (
  prompt: string,
  options: { model: string | null; signal: AbortSignal; tags: string[] },
) => Promise<string>;

export interface LearningSettings {
  /** A conversation is searched once it has been silent for this long. */
  debounceMs: number;
  /** Null selects the default model. */
  model: string | null;
  minConfidence: number;
}

/** A finished turn, as its run reports it. */
export interface EndedTurn extends TurnKey {
  runId: string;
  turn: SpokenTurn;
}

const kind = 'memory.learn';
const sweepKind = 'memory.sweep';
const retryDelaysMs = [30 * secondMs, 5 * minuteMs, hourMs];
const maxCallMs = minuteMs;
/** A conversation that never falls silent is searched after this many times the debounce. */
const maxDebounces = 10;
/** No turn waits this long, unless its job crashed the process each time. */
const keepMs = 7 * dayMs;

/**
 * Learns facts about users from what they say. A turn is stored with the end of its run, in the same unit, and a job searches all
 * turns of a conversation once it has been silent for a while. What the model has found replaces the turns in the database before
 * it goes into the memory's file, so an interrupted job is completed without asking the model again.
 */
export class MemoryLearning {
  readonly #options;
  #cancelWake: (() => void) | undefined;

  constructor(options: {
    store: LearningStore;
    memories: {
      get(owner: Owner, agent: string | null): Promise<MemoryDocument>;
      learn(
        owner: Owner,
        agent: string | null,
        changeNow: () => Promise<LearnedChange | null>,
      ): Promise<void>;
    };
    jobs: Pick<Jobs, 'register' | 'enqueue' | 'wake'>;
    /** Null when nothing is learned: memory is off, or there is only the demo model. */
    ask: AskModel | null;
    /** Returns false once the account or the custom agent is deleted. */
    isThere: (key: MemoryKey) => Promise<boolean>;
    settings: LearningSettings;
    clock: Clock;
    timer: Timer;
    log: Pick<Log, 'warn'>;
  }) {
    this.#options = options;
    const { jobs, store, clock } = options;
    jobs.register(kind, (job) => this.#learn(job), { concurrency: 4, retryDelaysMs });
    jobs.register(sweepKind, () => store.dropOlderThan(toIso(clock() - keepMs)), { everyMs: dayMs });
  }

  get isOn(): boolean {
    return this.#options.ask !== null;
  }

  /** Part of the unit that ends the run. */
  async keep(trx: WriteTransaction<ConversationTables>, { runId, turn, ...key }: EndedTurn): Promise<void> {
    const { store, jobs, settings, clock } = this.#options;
    const nowMs = clock();
    const since = await store.add(trx, key, { runId, turn, at: toIso(nowMs) });
    const latestMs = Date.parse(since) + maxDebounces * settings.debounceMs;
    const runAtMs = Math.max(Math.min(nowMs + settings.debounceMs, latestMs), nowMs);
    await jobs.enqueue(trx, { kind, key: jobKey(key), runAtMs, payload: payloadOf(key) });
    this.#wakeAt(runAtMs);
  }

  close(): void {
    this.#cancelWake?.();
  }

  /** Wakes at the time of the first of them; jobs then find the others themselves. */
  #wakeAt(atMs: number): void {
    const { jobs, timer, clock } = this.#options;
    this.#cancelWake ??= timer(() => {
      this.#cancelWake = undefined;
      jobs.wake(kind);
    }, atMs - clock());
  }

  async #learn({ payload, attempt, signal }: Job): Promise<void> {
    const { store, ask, isThere, log } = this.#options;
    const key = keyOf(payload);
    if (!(await isThere(key))) return store.dropOf(key);
    await this.#finish(key);
    const turns = await store.turns(key);
    if (turns.length === 0) return;
    if (!ask) return store.dropTurns(key, turns);
    try {
      const change = await this.#search(key, { ask, turns, signal });
      await store.replace(key, { turns, change, at: toIso(this.#options.clock()) });
    } catch (error) {
      if (attempt > retryDelaysMs.length && !signal.aborted) {
        log.warn({ err: error, ...key }, 'Nothing could be learned from a conversation; it is given up');
        await store.dropTurns(key, turns);
      }
      throw error;
    }
    await this.#finish(key);
  }

  async #search(
    key: TurnKey,
    { ask, turns, signal }: { ask: AskModel; turns: readonly KeptTurn[]; signal: AbortSignal },
  ): Promise<LearnedChange> {
    const { memories, settings, clock } = this.#options;
    const { model, minConfidence } = settings;
    const memory = await memories.get({ user: key.userId }, key.agent);
    const prompt = extractionPrompt(
      memory,
      turns.map(({ turn }) => turn),
    );
    const answer = await ask(prompt, {
      model,
      signal: deadline(maxCallMs, signal).signal,
      tags: ['middleware:memory'],
    });
    return learnedFrom(answer, memory, { minConfidence, threadId: key.threadId, at: toIso(clock()) });
  }

  /** Puts what was found into the memory. Doing it twice changes nothing, because the facts have their ids. */
  async #finish(key: TurnKey): Promise<void> {
    const { store, memories } = this.#options;
    if (!(await store.change(key))) return;
    await memories.learn({ user: key.userId }, key.agent, () => store.change(key));
    await store.dropChange(key);
  }
}

function jobKey({ threadId, userId, agent }: TurnKey): string {
  return JSON.stringify([threadId, userId, agent]);
}

function payloadOf({ threadId, userId, agent }: TurnKey): JobPayload {
  return { threadId, userId, agent };
}

function keyOf({ threadId, userId, agent }: JobPayload): TurnKey {
  return { threadId: String(threadId), userId: String(userId), agent: agent === null ? null : String(agent) };
}
