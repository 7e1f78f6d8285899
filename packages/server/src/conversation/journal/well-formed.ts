/** Text that every database and every JSON reader accepts: lone surrogates, which cutting can leave, become U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
