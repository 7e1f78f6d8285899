/** Faults that Redis reports with a word of its own, and what the operator can do about each. */
const known: readonly { word: RegExp; says: (detail: string) => string }[] = [
  {
    word: /\b(WRONGPASS|NOAUTH|invalid password|invalid username-password)\b/,
    says: () => 'refuses the user or the password; set them in bus.url',
  },
  {
    word: /\bNOPERM\b/,
    says: (detail) => `does not let the user of bus.url do what the gateway needs (${detail})`,
  },
  {
    // A server that becomes a replica ends with UNBLOCKED what waits in it.
    word: /\b(READONLY|UNBLOCKED)\b/,
    says: () => 'is a replica and takes no writes; bus.url must lead to the primary server',
  },
  { word: /\bOOM\b/, says: () => 'is full and takes no writes; raise its maxmemory' },
  {
    word: /\bMISCONF\b/,
    says: () => 'takes no writes because it cannot save its data; free its disk, or switch its snapshots off',
  },
  { word: /\bLOADING\b/, says: () => 'is still loading its data' },
];

/** Errors of the connection, not of the server. */
const unreachable =
  /\bE[A-Z]{4,}\b|Connection is closed|timed out|Socket timeout|Stream isn't writeable|max retries per request/i;

/** Says in one sentence what is wrong with Redis and what to do about it. */
export function redisFault(error: unknown, shownAddress: string): string {
  const text = textOf(error);
  const fault = known.find(({ word }) => word.test(text));
  if (fault) return `Redis at ${shownAddress} ${fault.says(text)}.`;
  if (unreachable.test(text)) {
    const code = /\bE[A-Z]{4,}\b/.exec(text)?.[0];
    return `Redis at ${shownAddress} cannot be reached${code ? ` (${code})` : ''}; check bus.url, and that the server runs.`;
  }
  return `Redis at ${shownAddress} answers with an error: ${text}.`;
}

/** Returns true when the server was not reached at all, which its connections report by themselves. */
export function isUnreachable(error: unknown): boolean {
  return unreachable.test(textOf(error));
}

/**
 * Returns true for a fault of the server as a whole. Its connection reports it once, so that others need not repeat it.
 */
export function isToldByServer(error: unknown): boolean {
  return isUnreachable(error) || known.some(({ word }) => word.test(textOf(error)));
}

/** Returns true when another try cannot help. */
export function isRefused(error: unknown): boolean {
  return /\b(WRONGPASS|NOAUTH|NOPERM|invalid password|invalid username-password)\b/.test(textOf(error));
}

function textOf(error: unknown): string {
  if (error instanceof AggregateError) return textOf(error.errors[0]);
  const text = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? `${String(error.code)} ` : '';
  return `${code}${text.split('\n')[0] ?? ''}`.replace(/\.$/, '').slice(0, 200);
}
