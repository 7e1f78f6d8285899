import { type DestinationStream, pino } from 'pino';
import { redactSecrets } from './redaction.ts';

const colours: Record<string, string> = {
  trace: '\u001b[90m',
  debug: '\u001b[90m',
  info: '\u001b[36m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
  fatal: '\u001b[31;1m',
};
const plain = '\u001b[0m';

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
   * The stream for the lines; by default standard error, so that standard output stays free for the output of the
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

/** One logger for each area, named in its lines. An area without a level of its own has that of the whole log. */
export function areaLoggers<Area extends string>(
  logger: Logger,
  levels: Record<Area, LogLevel | null>,
): Record<Area, Logger> {
  const areas = Object.entries(levels) as [Area, LogLevel | null][];
  const loggers = areas.map(([area, level]) => [
    area,
    logger.child({ area }, level === null ? {} : { level }),
  ]);
  return Object.fromEntries(loggers) as Record<Area, Logger>;
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

interface LogLine {
  time?: string;
  level?: string;
  msg?: string;
  err?: unknown;
  [fact: string]: unknown;
}

/** Lines for people: `12:00:01.250 info  Serving  url=http://127.0.0.1:7300`, an error's stack indented below. */
function prettyStream(target: DestinationStream, { colour }: { colour: boolean }): DestinationStream {
  return { write: (line) => target.write(formatLine(line, colour)) };
}

function formatLine(json: string, colour: boolean): string {
  const { time = '', level = '', msg = '', err, ...facts } = JSON.parse(json) as LogLine;
  const label = colour ? `${colours[level] ?? ''}${level.padEnd(5)}${plain}` : level.padEnd(5);
  const details = Object.entries(facts).map(
    ([name, value]) => ` ${visible(name)}=${visible(factText(value))}`,
  );
  return `${time.slice(11, 23)} ${label} ${visible(msg)}${details.join('')}\n${stackLines(err)}`;
}

function factText(value: unknown): string {
  return typeof value === 'string' && !/[\s="]/.test(value) ? value : JSON.stringify(value);
}

function stackLines(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message, cause } = err as { stack?: string; message?: string; cause?: unknown };
  const lines = (stack ?? message ?? '').split('\n').map((line) => `    ${visible(line)}\n`);
  return lines.join('') + (cause === undefined ? '' : `    caused by\n${stackLines(cause)}`);
}

/** Text that a stranger sent must not start a new line, move the cursor or change the writing direction. */
function visible(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this removes
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
