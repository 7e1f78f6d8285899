import type { Runs } from '../conversation/runs/runs.ts';
import type { RunRow } from '../conversation/tables.ts';
import { AppError } from '../lib/app-error.ts';
import { toIso } from '../lib/clock.ts';
import type { Owner } from '../lib/owner.ts';
import { wellFormed } from '../lib/storable-text.ts';
import { minuteMs, secondMs } from '../lib/time-units.ts';
import type { WriteTransaction } from '../platform/database/database.ts';
import type { Job } from '../platform/jobs/jobs.ts';
import type { Ownership } from '../platform/ownership/ownership.ts';
import { type Channel, DeliveryError, type OutboundFile } from './channel.ts';
import { answerOf, answerTexts, type ChannelAnswer } from './channel-answer.ts';
import { replyJob, replyKind, runReplyJob } from './channel-jobs.ts';
import type { ChannelParts } from './channel-parts.ts';
import { keepMessagesMs } from './channel-store.ts';
import type { LiveReplies } from './live-replies.ts';
import { openArtifacts } from './outbound-files.ts';
import type { ChannelMessageRow } from './tables.ts';

export const replyRetryDelaysMs = [
  2 * secondMs,
  10 * secondMs,
  minuteMs,
  5 * minuteMs,
  30 * minuteMs,
  120 * minuteMs,
];
const maxRetryAfterMs = 60 * minuteMs;
/** Number of sent paths that a thread remembers, so that the list does not grow for ever. */
const maxArtifactsKept = 1_000;

/** Sends an answer once its run is stored, and tries again until the answer was sent. */
export class ChannelReplies {
  readonly #options;

  constructor(
    options: Pick<ChannelParts, 'store' | 'registry' | 'artifacts' | 'jobs' | 'clock' | 'log'> & {
      runs: Pick<Runs, 'find' | 'valuesOf'>;
      live: Pick<LiveReplies, 'finish'>;
      ownership: Pick<Ownership, 'hold'>;
      /** Reports to operators why the channel's last answer failed; null when it was sent. */
      report: (channel: string, error: string | null) => void;
    },
  ) {
    this.#options = options;
  }

  /** Part of the unit that ends a run. Call `wake` after its commit. */
  async plan(trx: WriteTransaction<unknown>, run: RunRow): Promise<void> {
    if (isOfChannel(run)) await this.#options.jobs.enqueue(trx, runReplyJob(run.run_id));
  }

  wake(run: RunRow): void {
    if (isOfChannel(run)) this.#options.jobs.wake(replyKind);
  }

  async handle({ payload, attempt, signal }: Job): Promise<void> {
    const { store, ownership } = this.#options;
    const { messageId, runId } = payload;
    const row = messageId ? await store.find(String(messageId)) : await store.ofRun(String(runId));
    if (!row || row.closed_at !== null) return;
    // A sweep or a crash can make two jobs for one message; the second one finds it answered.
    await ownership.hold(
      `channel-reply:${row.id}`,
      (lease) => this.#attempt(row.id, { attempt, signal: lease.signal }),
      { signal },
    );
  }

  async #attempt(id: string, { attempt, signal }: { attempt: number; signal: AbortSignal }): Promise<void> {
    const { store, registry, report } = this.#options;
    const row = await store.find(id);
    if (!row || row.closed_at !== null) return;
    const found = registry.get(row.channel);
    // The channel is switched off: the answer waits until it is switched on again or until it is too old.
    if (!found) return;
    try {
      await this.#send(row, found.channel, signal);
      report(row.channel, null);
    } catch (error) {
      if (signal.aborted) throw error;
      await this.#failed(row, attempt, error);
    }
  }

  /** Throws the error when the job has to try again after its own delay. */
  async #failed(row: ChannelMessageRow, attempt: number, error: unknown): Promise<void> {
    const { store, report, clock, log } = this.#options;
    const failure = error instanceof DeliveryError ? error : null;
    const reason = failure?.message ?? 'The answer could not be made.';
    report(row.channel, reason);
    // A delay that the other side asked for does not count as an attempt, but the answer still becomes too old in the end.
    const isTooOld = row.created_at < toIso(clock() - keepMessagesMs);
    if (isTooOld || failure?.isFinal || attempt > replyRetryDelaysMs.length) {
      log.warn({ err: error, channel: row.channel, message: row.id }, 'An answer could not be sent');
      return store.close(row.id, { status: 'failed', error: reason, at: this.#now() });
    }
    await store.change(row.id, { error: reason, updated_at: this.#now() });
    if (failure?.retryAfterMs == null) throw error;
    await this.#later(row, failure.retryAfterMs);
  }

  async #send(row: ChannelMessageRow, channel: Channel, signal: AbortSignal): Promise<void> {
    const { store, live } = this.#options;
    const owner: Owner = { user: row.user_id };
    const answer = await this.#answerOf(owner, row);
    if (answer === 'not_yet') return;
    if (answer === 'gone') return store.close(row.id, { status: 'dropped', error: null, at: this.#now() });
    await live.finish(row.id);
    const sent = JSON.parse((await store.find(row.id))?.sent ?? '[]') as string[];
    const files = await this.#filesOf(owner, row, { answer, channel });
    await channel.deliver(
      {
        id: row.id,
        chatId: row.chat_id,
        messageId: row.message_id,
        threadId: row.thread_id,
        runId: row.run_id,
        text: withNames(answer.text, files),
        files: files.sendable,
        sent,
        note: async (parts) => {
          await store.change(row.id, { sent: JSON.stringify(parts), updated_at: this.#now() });
        },
      },
      signal,
    );
    await this.#noteThread(row, answer);
    await store.close(row.id, { status: 'done', error: null, at: this.#now() });
  }

  async #answerOf(owner: Owner, row: ChannelMessageRow): Promise<ChannelAnswer | 'not_yet' | 'gone'> {
    if (row.reply !== null) return plain(row.reply);
    const run = await this.#runOf(owner, row);
    if (!run) return 'gone';
    if (run.ended_at === null) return 'not_yet';
    if (run.status === 'error') return plain(answerTexts.failed);
    if (run.status === 'timeout') return plain(answerTexts.timeout);
    if (run.status === 'interrupted') return plain(answerTexts.stopped);
    const thread = await this.#options.store.thread(owner, run.thread_id);
    const sent = JSON.parse(thread?.artifacts_sent ?? '[]') as string[];
    return answerOf(await this.#options.runs.valuesOf(run), sent);
  }

  async #runOf(owner: Owner, { thread_id, run_id }: ChannelMessageRow): Promise<RunRow | null> {
    if (thread_id === null || run_id === null) return null;
    try {
      return await this.#options.runs.find(owner, { threadId: thread_id, runId: run_id });
    } catch (error) {
      const isGone = error instanceof AppError && /^(run|thread)_not_found$/.test(error.code);
      if (isGone) return null;
      throw error;
    }
  }

  async #filesOf(
    owner: Owner,
    { thread_id: threadId }: ChannelMessageRow,
    { answer, channel }: { answer: ChannelAnswer; channel: Channel },
  ): Promise<{ sendable: OutboundFile[]; others: string[] }> {
    if (threadId === null || answer.artifacts.length === 0) return { sendable: [], others: [] };
    const open = (path: string) => this.#options.artifacts.open(owner, threadId, path);
    return openArtifacts(answer.artifacts, { open, maxBytes: channel.maxFileBytes });
  }

  async #noteThread({ thread_id: threadId }: ChannelMessageRow, answer: ChannelAnswer): Promise<void> {
    if (threadId === null) return;
    const { allArtifacts, questions } = answer;
    await this.#options.store.noteThread(threadId, {
      ...(allArtifacts.length > 0 && {
        artifacts_sent: JSON.stringify(allArtifacts.slice(-maxArtifactsKept)),
      }),
      ...(questions.length > 0 && { questions: JSON.stringify(questions) }),
    });
  }

  /** Uses the delay that the other side asked for in place of our own. */
  async #later(row: ChannelMessageRow, afterMs: number): Promise<void> {
    const waitMs = Math.min(afterMs, maxRetryAfterMs);
    await this.#options.jobs.add({ ...replyJob(row), waitMs });
  }

  #now(): string {
    return toIso(this.#options.clock());
  }
}

/** Runs for each run that ends, so it has to be cheap. The row of the message has the details. */
function isOfChannel({ metadata }: RunRow): boolean {
  return metadata.includes('"channel_message":');
}

function plain(text: string): ChannelAnswer {
  return { text, artifacts: [], allArtifacts: [], questions: [] };
}

function withNames(
  text: string,
  { sendable, others }: { sendable: readonly OutboundFile[]; others: readonly string[] },
): string {
  const names = sendable.map(({ filename }) => filename);
  const lines = [
    ...(names.length > 0 ? [`Files: ${names.join(', ')}`] : []),
    ...(others.length > 0 ? [`Not sent: ${others.join(', ')}`] : []),
  ];
  return wellFormed([text, ...lines].join('\n\n'));
}
