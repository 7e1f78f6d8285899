import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { awaitLangchainCallbacks } from '../config/env.ts';

/**
 * A step of a graph puts a listener on one signal for each of its tasks, such as the tool calls of one answer. LangGraph gives no
 * place to raise the limit of that signal. More listeners than this still count as a leak, and Node warns of it.
 */
const listenersOfStep = 200;

/**
 * Loads modules that need LangChain: `loadLangchain(() => import('./running/run-checkpointer.ts'))`. LangChain takes a third of a
 * second and 45 MB to load, so only this function loads it, and only when an agent is used.
 */
export async function loadLangchain<Modules>(load: () => Promise<Modules>): Promise<Modules> {
  awaitLangchainCallbacks();
  EventEmitter.defaultMaxListeners = Math.max(EventEmitter.defaultMaxListeners, listenersOfStep);
  return load();
}

/** Reads the version from the package's own description, without loading the package. */
export function langgraphVersion(): string {
  const { version } = createRequire(import.meta.url)('@langchain/langgraph/package.json') as {
    version: string;
  };
  return version;
}

/** The node in which the model answers, in the lead agent and in every agent that LangChain's `createAgent` makes. */
export const modelNode = 'model_request';
