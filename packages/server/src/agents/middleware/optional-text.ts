import type { Log } from '../../lib/log.ts';

/** Reads a text for a prompt. When it cannot be read the run continues without it, and the log has a line about it. */
export async function textOrNothing(
  reading: Promise<string>,
  log: Pick<Log, 'warn'>,
  message: string,
): Promise<string> {
  try {
    return await reading;
  } catch (error) {
    log.warn({ err: error }, message);
    return '';
  }
}
