/** Text that every database and every JSON reader takes: lone surrogates, as cutting leaves them, become U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
