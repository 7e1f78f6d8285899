/** Text that every JSON reader accepts: lone surrogates, which cutting can leave, become U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** Text that every database accepts: Postgres stores no U+0000, so it becomes U+FFFD as well. */
export function storable(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\ufffd');
}
