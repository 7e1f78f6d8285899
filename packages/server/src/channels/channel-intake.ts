import type { RunCreate } from '@switchyard/contract/conversation/run';
import type { ChannelConfig } from '../config/channels.ts';
import type { Runs } from '../conversation/runs/runs.ts';
import { AppError } from '../lib/app-error.ts';
import { toIso } from '../lib/clock.ts';
import { newTimeOrderedId } from '../lib/ids.ts';
import type { Owner } from '../lib/owner.ts';
import type { Job } from '../platform/jobs/jobs.ts';
import type { Ownership } from '../platform/ownership/ownership.ts';
import type { InboundFile } from './channel.ts';
import { answerTexts, decisionText, type Question, resumeOf } from './channel-answer.ts';
import { commandIn } from './channel-command.ts';
import type { ChannelCommands } from './channel-commands.ts';
import { ingestFiles, type StoredFile, textWithFiles } from './channel-files.ts';
import { chatKey, intakeJob, replyJob, replyKind } from './channel-jobs.ts';
import type { ChannelParts } from './channel-parts.ts';
import type { ConfiguredChannel } from './channel-registry.ts';
import { accountOfSender } from './channel-senders.ts';
import type { ChatThreads } from './chat-threads.ts';
import type { LiveReplies } from './live-replies.ts';
import type { ChannelMessageRow, ChannelThreadRow } from './tables.ts';

const maxAtOnce = 100;
/** Wait before looking again at a chat that another process is working on and may soon finish. */
const lookAgainMs = 300;
/** After this many failures a message is answered with an apology, so that the messages behind it are handled. */
const maxAttempts = 5;
/** Delays of a job. It has more attempts than a message has, so that every message gets its apology. */
export const intakeRetryDelaysMs = [1_000, 5_000, 15_000, 60_000, 60_000, 300_000, 300_000, 900_000];

/** Starts runs for stored messages and answers commands, one message of a chat after the other. */
export class ChannelIntake {
  readonly #options;

  constructor(
    options: Pick<
      ChannelParts,
      'store' | 'registry' | 'findAccount' | 'uploads' | 'jobs' | 'clock' | 'log'
    > & {
      commands: ChannelCommands;
      runs: Pick<Runs, 'start' | 'find'>;
      chats: ChatThreads;
      live: Pick<LiveReplies, 'follow'>;
      ownership: Pick<Ownership, 'tryHold'>;
    },
  ) {
    this.#options = options;
  }

  async handle({ payload, signal }: Job): Promise<void> {
    const [channel, chatId] = [String(payload.channel), String(payload.chatId)];
    const found = this.#options.registry.get(channel);
    // The channel is switched off: its messages wait until it is switched on again or until they are too old.
    if (!found) return;
    // A job that waited here would block a job of another chat.
    const isDone = await this.#options.ownership.tryHold(
      chatKey(channel, chatId),
      async (lease) => this.#drain(found, chatId, lease.signal),
      { signal },
    );
    if (isDone) return;
    await this.#options.jobs.add({ ...intakeJob(channel, chatId), waitMs: lookAgainMs });
  }

  /** Includes messages that arrive meanwhile. */
  async #drain(found: ConfiguredChannel, chatId: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const rows = await this.#options.store.accepted(found.channel.name, chatId, maxAtOnce);
      if (rows.length === 0) return;
      for (const row of rows) {
        signal.throwIfAborted();
        await this.#attempt(found, row, signal);
      }
    }
  }

  async #attempt(found: ConfiguredChannel, row: ChannelMessageRow, signal: AbortSignal): Promise<void> {
    const { store, log } = this.#options;
    await store.change(row.id, { attempts: row.attempts + 1, updated_at: this.#now() });
    try {
      await this.#process(found, row, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const isOurs = error instanceof AppError && error.status < 500 && error.code !== 'too_many_runs';
      if (isOurs) return this.#answer(row, error.faults?.[0]?.message ?? error.message);
      if (row.attempts + 1 < maxAttempts) throw error;
      log.warn({ err: error, channel: row.channel, message: row.id }, 'A message could not be processed');
      await this.#answer(row, answerTexts.failed);
    }
  }

  async #process(found: ConfiguredChannel, row: ChannelMessageRow, signal: AbortSignal): Promise<void> {
    const { config } = found;
    const userId = await accountOfSender(config, row.sender, this.#options.findAccount);
    if (userId !== row.user_id) return this.#drop(row, 'The sender may not use the channel any more.');
    const owner: Owner = { user: userId };
    const command = row.files === '[]' ? commandIn(row.text) : null;
    if (command) {
      return this.#answer(row, await this.#options.commands.answer(command, { owner, row, config }));
    }
    const thread = await this.#options.chats.of(owner, row, config);
    const runId = row.run_id ?? newTimeOrderedId(this.#options.clock());
    await this.#options.store.change(row.id, {
      thread_id: thread.thread_id,
      run_id: runId,
      updated_at: this.#now(),
    });
    if (!(await this.#isStarted(owner, thread.thread_id, runId))) {
      const body = await this.#bodyOf(found, { owner, row, thread, signal });
      if (typeof body === 'string') return this.#answer(row, body);
      await this.#options.runs.start({ userId, mount: '/api', runId }, thread.thread_id, body);
      if (thread.questions !== null)
        await this.#options.store.noteThread(thread.thread_id, { questions: null });
    }
    const isRunning = await this.#options.store.change(row.id, {
      status: 'running',
      updated_at: this.#now(),
    });
    if (isRunning) this.#options.live.follow({ ...row, run_id: runId }, found.channel);
  }

  /** Returns the request for a run, or the reply when the message starts no run. */
  async #bodyOf(
    { config, channel }: ConfiguredChannel,
    {
      owner,
      row,
      thread,
      signal,
    }: { owner: Owner; row: ChannelMessageRow; thread: ChannelThreadRow; signal: AbortSignal },
  ): Promise<RunCreate | string> {
    const common = commonBody(config, { row, thread, isShown: channel.preview !== null });
    const questions = await this.#questionsOf(owner, thread);
    if (questions.length > 0) {
      const resume = resumeOf(questions, row.text);
      return resume === null ? decisionText : { ...common, command: { resume } };
    }
    const files = JSON.parse(row.files) as InboundFile[];
    const { uploads } = this.#options;
    const ingested = await ingestFiles(files, {
      uploads,
      channel,
      owner,
      threadId: thread.thread_id,
      signal,
    });
    const text = textWithFiles(row.text, ingested);
    if (text === '') return answerTexts.unreadable;
    const message = { role: 'user', content: text, ...attachments(ingested.stored) };
    return { ...common, input: { messages: [message] } };
  }

  /** Returns the questions that were not answered elsewhere meanwhile. */
  async #questionsOf(owner: Owner, { thread_id, questions }: ChannelThreadRow): Promise<Question[]> {
    if (questions === null) return [];
    const thread = await this.#options.chats.find(owner, thread_id);
    return thread?.status === 'interrupted' ? (JSON.parse(questions) as Question[]) : [];
  }

  /** Returns whether an earlier attempt started the run before a crash kept it from updating its message. */
  async #isStarted(owner: Owner, threadId: string, runId: string): Promise<boolean> {
    try {
      await this.#options.runs.find(owner, { threadId, runId });
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'run_not_found') return false;
      throw error;
    }
  }

  async #answer(row: ChannelMessageRow, text: string): Promise<void> {
    const { store, jobs } = this.#options;
    const columns = { status: 'answered', run_id: null, reply: text, updated_at: this.#now() } as const;
    const isOpen = await store.change(row.id, columns, (trx) =>
      jobs.enqueue(trx, replyJob({ id: row.id, run_id: null })),
    );
    if (isOpen) jobs.wake(replyKind);
  }

  async #drop(row: ChannelMessageRow, error: string): Promise<void> {
    await this.#options.store.close(row.id, { status: 'dropped', error, at: this.#now() });
  }

  #now(): string {
    return toIso(this.#options.clock());
  }
}

/**
 * Returns what every run of a channel has; the channel's own context is added to it. The thread says which assistant goes on: it
 * was made with that of the channel.
 */
function commonBody(
  { recursion_limit, context }: ChannelConfig,
  { row, thread, isShown }: { row: ChannelMessageRow; thread: ChannelThreadRow; isShown: boolean },
): RunCreate {
  const { agent_setup: agentSetup } = thread;
  return {
    multitask_strategy: 'enqueue',
    stream_mode: [isShown ? 'messages-tuple' : 'values'],
    config: { recursion_limit },
    context: {
      thinking_enabled: true,
      is_plan_mode: false,
      subagent_enabled: false,
      ...context,
      ...(agentSetup !== null && { is_bootstrap: true, agent_name: agentSetup }),
    },
    metadata: { channel: row.channel, chat_id: row.chat_id, channel_message: row.message_id },
  };
}

/** Lists the files of a message in the form that chat clients show. */
function attachments(files: readonly StoredFile[]): object {
  if (files.length === 0) return {};
  const shown = files.map(({ filename, sizeBytes, path }) => ({
    filename,
    size: sizeBytes,
    path,
    status: 'uploaded',
  }));
  return { additional_kwargs: { files: shown } };
}
