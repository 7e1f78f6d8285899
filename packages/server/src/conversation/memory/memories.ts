import type {
  FactChange,
  MemoryConfig,
  MemoryDocument,
  NewFact,
} from '@switchyard/contract/conversation/memory';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import { userScope } from '../user-scope.ts';
import { type LearnedChange, withLearned } from './learned-facts.ts';
import { emptyMemory, requireImportable, withChangedFact, withFact, withoutFact } from './memory-document.ts';
import type { MemoryFiles, MemoryKey } from './memory-files.ts';
import type { MemoryLock } from './memory-lock.ts';
import { memoryPrompt } from './memory-prompt.ts';

export interface MemoryOptions {
  enabled: boolean;
  maxFacts: number;
  injection: boolean;
  maxInjectionTokens: number;
  /** True when conversations are searched for facts; this requires a configured model. */
  learns: boolean;
  debounceMs: number;
  /** Facts with a lower confidence are left out. */
  minConfidence: number;
}

interface MemoriesOptions {
  files: MemoryFiles;
  lock: MemoryLock;
  /** Drops the turns with an agent that wait to be learned. */
  forgetWaiting: (key: MemoryKey) => Promise<void>;
  clock: Clock;
  options: MemoryOptions;
}

/** The memories about users. Changes of one memory happen one after the other, so that none is lost. */
export class Memories {
  readonly #files: MemoryFiles;
  readonly #forgetWaiting: MemoriesOptions['forgetWaiting'];
  readonly #clock: Clock;
  readonly #options: MemoryOptions;
  readonly #lock: MemoryLock;

  constructor({ files, lock, forgetWaiting, clock, options }: MemoriesOptions) {
    this.#files = files;
    this.#lock = lock;
    this.#forgetWaiting = forgetWaiting;
    this.#clock = clock;
    this.#options = options;
  }

  config(): MemoryConfig {
    const { enabled, learns, debounceMs, maxFacts, minConfidence, injection, maxInjectionTokens } =
      this.#options;
    return {
      enabled,
      storage_path: '',
      debounce_seconds: debounceMs / 1_000,
      max_facts: maxFacts,
      fact_confidence_threshold: minConfidence,
      injection_enabled: enabled && injection,
      max_injection_tokens: maxInjectionTokens,
      extraction_enabled: learns,
    };
  }

  async get(owner: Owner, agent: string | null): Promise<MemoryDocument> {
    return this.#files.read(keyOf(owner, agent));
  }

  async reload(owner: Owner, agent: string | null): Promise<MemoryDocument> {
    const key = keyOf(owner, agent);
    this.#files.forget(key);
    return this.#files.read(key);
  }

  /** Also works on a file that cannot be read. Turns that wait to be learned are dropped with it. */
  async clear(owner: Owner, agent: string | null): Promise<MemoryDocument> {
    const key = keyOf(owner, agent);
    return this.#replace(key, async () => {
      await this.#forgetWaiting(key);
      return { ...emptyMemory(), lastUpdated: this.#now() };
    });
  }

  async import(owner: Owner, agent: string | null, given: MemoryDocument): Promise<MemoryDocument> {
    requireImportable(given, this.#options.maxFacts);
    return this.#replace(keyOf(owner, agent), async () => ({ ...given, lastUpdated: this.#now() }));
  }

  async addFact(owner: Owner, agent: string | null, fact: NewFact): Promise<MemoryDocument> {
    const { maxFacts } = this.#options;
    return this.#change(keyOf(owner, agent), (memory) =>
      withFact(memory, fact, { maxFacts, at: this.#now() }),
    );
  }

  async changeFact(
    owner: Owner,
    agent: string | null,
    { factId, change }: { factId: string; change: FactChange },
  ): Promise<MemoryDocument> {
    return this.#change(keyOf(owner, agent), (memory) =>
      withChangedFact(memory, factId, { change, at: this.#now() }),
    );
  }

  async deleteFact(owner: Owner, agent: string | null, factId: string): Promise<MemoryDocument> {
    return this.#change(keyOf(owner, agent), (memory) => withoutFact(memory, factId, this.#now()));
  }

  /** For an agent that is deleted: drops the turns that wait to be learned, and writes nothing while the agent is removed. */
  async remove(owner: Owner, agent: string, removeAgent: () => Promise<void>): Promise<void> {
    const key = keyOf(owner, agent);
    await this.#lock.run(key, async () => {
      await removeAgent();
      this.#files.forget(key);
      await this.#forgetWaiting(key);
    });
  }

  /** Reads the change when it is its turn: by then the memory may have been cleared, and the change dropped. */
  async learn(
    owner: Owner,
    agent: string | null,
    changeNow: () => Promise<LearnedChange | null>,
  ): Promise<void> {
    const { maxFacts } = this.#options;
    const key = keyOf(owner, agent);
    await this.#lock.run(key, async () => {
      const change = await changeNow();
      if (!change) return;
      const memory = await this.#files.read(key);
      const next = withLearned(memory, change, { maxFacts, at: this.#now() });
      if (next !== memory) await this.#files.write(key, next);
    });
  }

  /** Returns the prompt about the user; empty when nothing is remembered or memory is switched off. */
  async promptFor(owner: Owner, agent: string | null): Promise<string> {
    const { enabled, injection, maxInjectionTokens } = this.#options;
    if (!enabled || !injection) return '';
    return memoryPrompt(await this.get(owner, agent), maxInjectionTokens);
  }

  #change(key: MemoryKey, change: (memory: MemoryDocument) => MemoryDocument): Promise<MemoryDocument> {
    return this.#replace(key, async () => change(await this.#files.read(key)));
  }

  async #replace(key: MemoryKey, next: () => Promise<MemoryDocument>): Promise<MemoryDocument> {
    return this.#lock.run(key, async () => {
      const memory = await next();
      await this.#files.write(key, memory);
      return memory;
    });
  }

  #now(): string {
    return toIso(this.#clock());
  }
}

function keyOf(owner: Owner, agent: string | null): MemoryKey {
  const userId = userScope(owner);
  if (userId === null) throw new Error('A memory belongs to one user: pass { user }.');
  return { userId, agent: agent?.toLowerCase() ?? null };
}
