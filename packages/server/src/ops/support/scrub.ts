import { homedir } from 'node:os';
import { isRecord } from '@switchyard/contract/is-record';
import { redactSecrets } from '../../platform/telemetry/redaction.ts';

export type Scrub = (text: string) => string;

/** Shorter texts stand in other words as well, so replacing them would damage the rest. */
const minSecretLength = 4;

/** Addresses of people and of their machines, and what opens something. Those of loopback and of private networks stay. */
const patterns = [
  [/\bsy_[a-z]{1,12}_[\w-]+/g, '<token>'],
  [/\bwhsec_[\w+/=-]+/g, '<secret>'],
  [/(\/comfy\/t\/)[^\s/"'?]+/g, '$1***'],
  [/(:\/\/)[^\s/@"']{1,1024}@/g, '$1***@'],
  [/[\p{L}\d][\p{L}\d._%+-]{0,63}@[\p{L}\d][\p{L}\d.-]{0,253}/gu, '<e-mail>'],
  [/\?[\w%.-]{1,256}=[^\s"'<>]*/g, '?…'],
  [/(\/(?:home|Users)\/)[^\s/"']+/g, '$1<user>'],
  [
    /\b(?!(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.)(?!0\.0\.0\.0)(?:\d{1,3}\.){3}\d{1,3}\b/g,
    '<address>',
  ],
  [/\b(?:[\da-f]{1,4}:){3,7}:?[\da-f]{0,4}\b/gi, '<address>'],
] as const;

/** Returns a function that takes secrets, addresses of people and places of this machine out of a text. */
export function scrubOf({ secrets, home }: { secrets: readonly string[]; home: string }): Scrub {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= minSecretLength)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    // A secret that contains another one goes first.
    .sort((one, other) => other.length - one.length);
  return (text) => {
    let rest = text.replaceAll(home, '<data home>').replaceAll(homedir(), '~');
    for (const secret of known) rest = rest.replaceAll(secret, '***');
    rest = redactSecrets(rest);
    for (const [pattern, replacement] of patterns) rest = rest.replace(pattern, replacement);
    return rest;
  };
}

/** Facts of our own log that are words or ids. Any other text may be what a person wrote. */
const plainFacts =
  /^(time|level|event|area|kind|job|topic|method|route|status|state|code|type|backend|database|bus|version|signal|phase|(request|req|thread|run|task|user|attempt|prompt|schedule|job|file)_?id)$/i;
const plainName = /^[a-z][a-z\d_]{0,40}$/i;
const plainWord = /^[\w:./+-]{1,100}$/;
const deepest = 4;
const maxItems = 20;

/**
 * Returns a line of the gateway's log with what is known to be harmless: sentences of the program, numbers, ids, words, and the places
 * in the program where an error arose. Undefined when the line is not one of them.
 */
export function scrubLogLine(line: string, scrub: Scrub): string | undefined {
  const facts = parsed(line);
  if (!isRecord(facts) || typeof facts.msg !== 'string' || typeof facts.level !== 'string') return undefined;
  const { msg, ...rest } = facts;
  return JSON.stringify({ ...(harmless(rest, scrub, 0) as object), msg: scrub(msg) });
}

function harmless(value: unknown, scrub: Scrub, depth: number): unknown {
  if (typeof value === 'string') return lengthOf(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === deepest) return '…';
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => harmless(item, scrub, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, fact]) => [
      plainName.test(name) ? name : lengthOf(name),
      harmlessFact(name, fact, { scrub, depth }),
    ]),
  );
}

function harmlessFact(
  name: string,
  fact: unknown,
  { scrub, depth }: { scrub: Scrub; depth: number },
): unknown {
  if (typeof fact !== 'string') return harmless(fact, scrub, depth + 1);
  if (name === 'url' || name === 'path') return beginningOf(fact);
  if (name === 'stack') return placesIn(fact, scrub);
  return plainFacts.test(name) && plainWord.test(fact) ? scrub(fact) : lengthOf(fact);
}

/** The rest of an address may have the names of files, workflows and people. */
function beginningOf(url: string): string {
  const [, first = '', second = '', ...more] = url.split(/[/?#]/);
  return `/${[first, second].map((word) => (/^[a-z\d_-]{1,20}$/.test(word) ? word : '*')).join('/')}${more.length > 0 ? '/…' : ''}`;
}

/** The message of an error comes first in its stack, and may have what a person wrote. */
function placesIn(stack: string, scrub: Scrub): string {
  const places = stack.split('\n').filter((line) => /^\s+at [^\s]/.test(line));
  return scrub(places.join('\n'));
}

function lengthOf(text: string): string {
  return `<${text.length} characters>`;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // The line is of something else; the caller counts it.
  }
}
