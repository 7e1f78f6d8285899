import { type DestinationStream, pino } from 'pino';
import { prettyStream } from './pretty-log.ts';
import { redactSecrets } from './redaction.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** Structured facts first, then one sentence: `log.warn({ origin }, 'Origin refused')`. */
export type Logger = pino.Logger;

export function createLogger({
  level,
  format,
  destination,
}: {
  level: LogLevel;
  /** `auto`: the form for people on a terminal, JSON lines elsewhere. */
  format: 'auto' | 'json' | 'pretty';
  /**
   * Where lines are written; by default standard error, so that standard output stays free for the output of the
   * command.
   */
  destination?: DestinationStream;
}): Logger {
  const isPretty = format === 'pretty' || (format === 'auto' && process.stderr.isTTY === true);
  const target = destination ?? pino.destination({ fd: 2, sync: true });
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: describeFacts },
      serializers: { err: describeError },
      hooks: { streamWrite: redactSecrets },
    },
    isPretty
      ? prettyStream(target, { colour: destination === undefined && process.stderr.isTTY === true })
      : target,
  );
}

const deepestFact = 4;

/** JSON turns an error into `{}`. An error under any name, at any depth of the facts, is described instead. */
function describeFacts(facts: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(facts).map(([name, fact]) => {
    // The serializer handles this one, which may be any thrown value.
    return [name, name === 'err' ? fact : withoutErrors(fact, 1)];
  });
  return Object.fromEntries(entries);
}

function withoutErrors(fact: unknown, depth: number): unknown {
  if (fact instanceof Error) return describeError(fact);
  if (depth >= deepestFact || typeof fact !== 'object' || fact === null) return fact;
  if (Array.isArray(fact)) return fact.map((item) => withoutErrors(item, depth + 1));
  if (Object.getPrototypeOf(fact) !== Object.prototype) return fact;
  const entries = Object.entries(fact).map(([name, inner]) => [name, withoutErrors(inner, depth + 1)]);
  return Object.fromEntries(entries);
}

interface ErrorDescription {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: ErrorDescription;
}

/** Enough to find the cause, and no other property, because an error may carry what a user sent. */
function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    ...(error.stack !== undefined && { stack: error.stack }),
    ...(error.cause !== undefined && depth < 4 && { cause: describeError(error.cause, depth + 1) }),
  };
}
