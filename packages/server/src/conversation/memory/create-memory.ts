import { modelAsker } from '../../agents/models/ask-model.ts';
import { systemTimer } from '../../lib/async/timer.ts';
import type { ChangeLock } from '../../platform/ownership/change-lock.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import { forgetTurnsOfThread, forgetTurnsOfUser, LearningStore } from './learning-store.ts';
import { Memories } from './memories.ts';
import { MemoryFiles, type MemoryKey } from './memory-files.ts';
import { MemoryLearning } from './memory-learning.ts';
import { MemoryLock } from './memory-lock.ts';

export interface MemoryConfiguration {
  enabled: boolean;
  /** True when the prompts of agents contain memories. */
  injection: boolean;
  /** True when conversations are searched for facts, when a model is configured. */
  extraction: boolean;
  maxFacts: number;
  maxInjectionTokens: number;
  debounceMs: number;
  /** Null selects the default model. */
  model: string | null;
  minConfidence: number;
}

/** Creates everything about memory. */
export function createMemory({
  database,
  removals,
  jobs,
  changes,
  isThere,
  models,
  home,
  clock,
  log,
  options,
}: Pick<ConversationParts, 'database' | 'removals' | 'jobs' | 'home' | 'clock' | 'log'> & {
  changes: ChangeLock;
  /** Returns false once the account or the custom agent is deleted. */
  isThere: (key: MemoryKey) => Promise<boolean>;
  models: Parameters<typeof modelAsker>[0];
  options: MemoryConfiguration;
}): { memories: Memories; learning: MemoryLearning } {
  const learns = options.enabled && options.extraction && models.configured.length > 0;
  const store = new LearningStore(database);
  const memories = new Memories({
    files: new MemoryFiles(home),
    lock: new MemoryLock(changes),
    forgetWaiting: (key) => store.dropOf(key),
    clock,
    options: { ...options, learns },
  });
  const learning = new MemoryLearning({
    jobs,
    isThere,
    store,
    memories,
    ask: learns ? modelAsker(models) : null,
    settings: options,
    clock,
    timer: systemTimer,
    log,
  });
  removals.register({ forgetThread: forgetTurnsOfThread, forgetUser: forgetTurnsOfUser });
  return { memories, learning };
}
