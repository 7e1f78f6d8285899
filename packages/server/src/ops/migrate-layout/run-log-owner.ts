import { open } from 'node:fs/promises';
import type { MoveDisk } from './move-disk.ts';

/** The owner of the events in the log of a run, `runs/<run>.jsonl`. */
export interface RunLogOwner {
  /** The only user that its events name; null when they name no user, or several. */
  user: string | null;
  /** True when some events name no user. Such events are shown to no one once they are in a user's folder. */
  hasOwnerless: boolean;
}

export async function ownerOfRunLog(path: string): Promise<RunLogOwner> {
  const users = new Set<string>();
  let hasOwnerless = false;
  for await (const line of linesOf(path)) {
    const event = parsed(line);
    if (!event) continue;
    if (typeof event.user_id === 'string') users.add(event.user_id);
    else hasOwnerless = true;
  }
  const [user = null] = users.size === 1 ? users : [];
  return { user, hasOwnerless };
}

/** Writes the owner into events that name no user. Lines that are not events, including torn ones, do not change. */
export async function stampRunLog(disk: MoveDisk, path: string, owner: string): Promise<void> {
  const lines: string[] = [];
  for await (const line of linesOf(path)) {
    const event = parsed(line);
    const isOwnerless = event && typeof event.user_id !== 'string';
    lines.push(isOwnerless ? JSON.stringify({ ...event, user_id: owner }) : line);
  }
  const draft = `${path}.new`;
  await disk.writeText(draft, lines.map((line) => `${line}\n`).join(''));
  await disk.rename(draft, path);
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const file = await open(path, 'r');
  try {
    yield* file.readLines();
  } finally {
    await file.close();
  }
}

function parsed(line: string): { user_id?: unknown } | undefined {
  try {
    const event: unknown = JSON.parse(line);
    const isEvent = typeof event === 'object' && event !== null && 'seq' in event;
    return isEvent ? (event as { user_id?: unknown }) : undefined;
  } catch {
    return undefined;
  }
}
