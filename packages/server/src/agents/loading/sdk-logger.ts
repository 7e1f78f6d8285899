import type { Logger } from '../../platform/telemetry/logger.ts';

/** The name under which `getLogger` of LangGraph's SDK looks for the logger of the server that runs a graph. */
const loggerKey = Symbol.for('langgraph.api.sdk-logger');

/** The SDK's levels, each with the level of the gateway's log. */
const levels = {
  error: 'error',
  warn: 'warn',
  help: 'info',
  data: 'info',
  info: 'info',
  prompt: 'info',
  http: 'info',
  verbose: 'debug',
  debug: 'debug',
  input: 'debug',
  silly: 'debug',
} as const;

/** Lets users' graphs write into the log of the gateway with `getLogger` of `@langchain/langgraph-sdk/logging`. */
export function offerSdkLogger(log: Pick<Logger, 'error' | 'warn' | 'info' | 'debug'>): void {
  const logger = Object.fromEntries(
    Object.entries(levels).map(([name, level]) => [
      name,
      (message: unknown, ...facts: unknown[]): void => log[level](factsOf(message, facts), textOf(message)),
    ]),
  );
  (globalThis as { [loggerKey]?: object })[loggerKey] = logger;
}

function factsOf(message: unknown, facts: unknown[]): object {
  const all = typeof message === 'string' ? facts : [message, ...facts];
  return all.length === 0 ? { from: 'agent' } : { from: 'agent', facts: all.length === 1 ? all[0] : all };
}

function textOf(message: unknown): string {
  return typeof message === 'string' ? message : 'An agent logged facts';
}
