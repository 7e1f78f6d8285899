import { EventEmitter } from 'node:events';
import { awaitLangchainCallbacks } from '../config/env.ts';
import { poolRandomnessOfIds } from '../lib/ids.ts';

/**
 * A step of a graph listens on one signal for each of its tasks, such as the tool calls of one answer, and that signal is
 * nobody's to set up. More than this still counts as a leak, of which Node warns.
 */
const listenersOfStep = 200;

/**
 * Loads modules that need LangChain: `loadLangchain(() => import('./running/run-checkpointer.ts'))`. It takes a third of a second
 * and 45 MB, so nothing but this loads it, and only when an agent is used.
 */
export async function loadLangchain<Modules>(load: () => Promise<Modules>): Promise<Modules> {
  awaitLangchainCallbacks();
  EventEmitter.defaultMaxListeners = Math.max(EventEmitter.defaultMaxListeners, listenersOfStep);
  if (!isPooled) poolRandomnessOfIds();
  isPooled = true;
  return load();
}

let isPooled = false;
