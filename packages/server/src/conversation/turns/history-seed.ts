import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import type { ThreadBranch } from '@switchyard/contract/conversation/turns';
import type { Log } from '../../lib/log.ts';
import type { Owner } from '../../lib/owner.ts';
import type { EventStorage } from '../journal/event-storage.ts';
import { isShown } from '../journal/message-visibility.ts';
import { Outbox } from '../journal/outbox.ts';
import type { RecordedRunStore } from '../journal/recorded-run-store.ts';
import { hiddenInThread } from '../journal/shown-runs.ts';
import { storedEvent } from '../journal/stored-event.ts';
import { userScope } from '../user-scope.ts';
import { isMessage } from './turn-messages.ts';

interface Copied {
  from: string;
  to: string;
  /** The last message that is copied. */
  lastMessageId: string;
  /** A run of the conversation that is copied; the newest one unless it is given. */
  runId: string | undefined;
}

/** A branch shows at most this many messages of the thread that it comes from: the newest ones. */
const maxMessages = 2_000;
const rowsAtOnce = 500;

/** Copies the shown messages of a thread into its branch. Each turn gets a run id of its own, so that making one answer again hides one turn. */
export class HistorySeed {
  readonly #options;

  constructor(options: {
    storage: Pick<EventStorage, 'list' | 'write'>;
    runs: Pick<RecordedRunStore, 'marks' | 'placed'>;
    log: Pick<Log, 'warn'>;
  }) {
    this.#options = options;
  }

  async copy(owner: Owner, copied: Copied): Promise<ThreadBranch['history_seed_mode']> {
    try {
      const turns = turnsOf(await this.#shown(owner, copied));
      for (const [index, events] of turns.entries()) await this.#write(owner, copied.to, { index, events });
      return turns.length > 0 ? 'seeded' : 'skipped_empty';
    } catch (error) {
      this.#options.log.warn(
        { err: error, threadId: copied.to },
        'The messages of a thread could not be copied',
      );
      return 'failed';
    }
  }

  async #shown(owner: Owner, { from: threadId, lastMessageId, runId }: Copied): Promise<RunEvent[]> {
    const { storage, runs } = this.#options;
    const hidden = await hiddenInThread(runs, owner, { threadId, runId });
    let newest: RunEvent[] = [];
    for (let edge: number | undefined; ; ) {
      const filter = { threadId, category: 'message', limit: rowsAtOnce, beforeSeq: edge } as const;
      const rows = await storage.list(owner, filter);
      newest = upTo([...rows.filter((row) => isShown(row, hidden)), ...newest], lastMessageId);
      if (newest.length >= maxMessages || rows.length < rowsAtOnce) return newest.slice(-maxMessages);
      edge = rows[0]?.seq;
    }
  }

  async #write(
    owner: Owner,
    threadId: string,
    { index, events }: { index: number; events: readonly RunEvent[] },
  ): Promise<void> {
    const outbox = new Outbox();
    for (const event of events) {
      const { event_type, category, content, created_at } = event;
      const { content_is_dict: _flag, ...metadata } = event.metadata;
      const copy = { event_type, category, content, metadata };
      outbox.add(storedEvent(copy, { at: Date.parse(created_at), maxTraceBytes: Number.MAX_SAFE_INTEGER }));
    }
    const run = { threadId, runId: `branch-seed-${threadId}-${index + 1}`, userId: userScope(owner) };
    await this.#options.storage.write(run, outbox, async () => undefined);
  }
}

/** The messages up to this one; all of them while it has not been read. */
function upTo(events: RunEvent[], messageId: string): RunEvent[] {
  const at = events.findLastIndex(({ content }) => isMessage(content, messageId));
  return at < 0 ? events : events.slice(0, at + 1);
}

/** The messages of each run, in their order. */
function turnsOf(events: readonly RunEvent[]): RunEvent[][] {
  const turns: RunEvent[][] = [];
  for (const event of events) {
    const last = turns.at(-1);
    if (last?.[0]?.run_id === event.run_id) last.push(event);
    else turns.push([event]);
  }
  return turns;
}
