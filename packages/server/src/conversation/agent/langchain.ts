import { awaitLangchainCallbacks } from '../../config/env.ts';

/**
 * Loads modules that need LangChain: `loadLangchain(() => import('./run-checkpointer.ts'))`. It takes a third of a second
 * and 45 MB, so nothing but this loads it, and only when an agent is used.
 */
export async function loadLangchain<Modules>(load: () => Promise<Modules>): Promise<Modules> {
  awaitLangchainCallbacks();
  return load();
}
