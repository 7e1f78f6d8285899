import { isRecord } from '@switchyard/contract/is-record';

/**
 * Returns one of LangChain's own events as a client may see it. LangChain gives an error as a text with the stack of the
 * server behind it, which names its files.
 */
export function toldEvent(event: object): object {
  const { data } = event as { data?: unknown };
  if (!isRecord(data) || typeof data.error !== 'string') return event;
  return { ...event, data: { ...data, error: withoutStack(data.error) } };
}

const emptyLine = '\n\n';
const firstOfStack = /\n {4}at /;

/** The text is the message, an empty line, the name of the error with its message again, and the lines of the stack. */
function withoutStack(text: string): string {
  const end = text.search(firstOfStack);
  if (end === -1) return text;
  const told = text.slice(0, end);
  for (let at = told.indexOf(emptyLine); at !== -1; at = told.indexOf(emptyLine, at + 1)) {
    const message = told.slice(0, at);
    if (told.slice(at + emptyLine.length).endsWith(message)) return message;
  }
  return told;
}
