import { readFile } from 'node:fs/promises';
import compile from 'icu-minify/compile';

/** A message file as it is written, or as the page formats it. */
type Messages = { [key: string]: Messages | unknown };

const messageFile = /\/messages\/[\w-]+\.json$/;

/**
 * Reads the syntax of all messages when the console is built. The page then needs no parser, and reads no text while it draws.
 * An error in a message ends the build.
 */
export function compiledMessages() {
  return {
    name: 'compiled-messages',
    enforce: 'pre',
    async load(id: string) {
      if (!messageFile.test(id)) return null;
      return JSON.stringify(compileMessages(JSON.parse(await readFile(id, 'utf8')) as Messages, id));
    },
  } as const;
}

export function compileMessages(messages: Messages, file: string): Messages {
  const entries = Object.entries(messages).map(([key, value]) => {
    if (typeof value !== 'string') return [key, compileMessages(value as Messages, file)];
    try {
      return [key, compile(value)];
    } catch (error) {
      throw new Error(`${file}: the message ${key} cannot be read: ${(error as Error).message}`);
    }
  });
  return Object.fromEntries(entries);
}
