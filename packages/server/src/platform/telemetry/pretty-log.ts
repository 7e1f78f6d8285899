import type { DestinationStream } from 'pino';

interface LogLine {
  time?: string;
  level?: string;
  msg?: string;
  err?: unknown;
  [fact: string]: unknown;
}

const colours: Record<string, string> = {
  trace: '\u001b[90m',
  debug: '\u001b[90m',
  info: '\u001b[36m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
  fatal: '\u001b[31;1m',
};
const plain = '\u001b[0m';

/** Lines for people: `12:00:01.250 info  Serving  url=http://127.0.0.1:7300`, an error's stack indented below. */
export function prettyStream(target: DestinationStream, { colour }: { colour: boolean }): DestinationStream {
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
