import type { PreparedEdit, PreparedReplay } from '@switchyard/contract/conversation/turns';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { GoalStore } from '../goals/goal-store.ts';
import type { Journal } from '../journal/journal.ts';
import type { RunStore } from '../runs/records/run-store.ts';
import type { ThreadRow } from '../tables.ts';
import { graphIdOf, ownedState, type SavedStates } from '../threads/saved-states.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { isAtRest, isBeginning, lineageOf } from './state-lineage.ts';
import {
  isMessage,
  isQuestion,
  isVisibleAnswer,
  messagesIn,
  type Turn,
  type TurnMessage,
  textIn,
  turnOfAnswer,
} from './turn-messages.ts';

interface Place {
  checkpointId: string;
  /** The run that made the answer, as its states name it. */
  runId: string | null;
}

/** This many stored messages are searched for the run of an answer; the latest answer is among the newest. */
const maxEvents = 500;
/** The parts of a question that stay when its text is replaced. */
const keptOfQuestion = ['files', 'referenced_message_contexts'];

/** Says how a client has the latest turn done again. It reads only; the client starts the run. */
export class Replays {
  readonly #options;

  constructor(options: {
    access: Pick<ThreadAccess, 'requireRecord'>;
    states: Pick<SavedStates, 'current' | 'pastStates'>;
    runs: Pick<RunStore, 'get'>;
    journal: Pick<Journal, 'events'>;
    goals: Pick<GoalStore, 'find'>;
    newId: () => string;
  }) {
    this.#options = options;
  }

  async regenerate(owner: Owner, threadId: string, messageId: string): Promise<PreparedReplay> {
    const { thread, messages, title } = await this.#latest(owner, threadId);
    const answer = messages.find(({ id }) => id === messageId);
    if (!answer) throw messageNotFound(messageId);
    if (!isVisibleAnswer(answer)) throw refused(say('answer_not_visible'));
    if (messages.findLast(isVisibleAnswer) !== answer) throw refused(say('answer_not_latest'));
    const turn = turnOfAnswer(messages, messageId);
    if (!turn) throw refused(say('answer_without_question'));
    const { checkpointId, runId } = await this.#source(owner, thread, { turn, answer });
    const { hide_from_ui: _hidden, ...extra } = turn.question.additional_kwargs;
    return replayOf({
      question: { ...turn.question, additional_kwargs: extra },
      title,
      checkpointId,
      runId,
      metadata: { regenerate_from_message_id: messageId },
    });
  }

  async edit(
    owner: Owner,
    threadId: string,
    { messageId, text }: { messageId: string; text: string },
  ): Promise<PreparedEdit> {
    const { thread, messages, title } = await this.#latest(owner, threadId);
    if (await this.#options.goals.find(threadId)) throw refused(say('edit_under_goal'));
    const question = messages.find(({ id }) => id === messageId);
    if (!question) throw messageNotFound(messageId);
    const isLatest = messages.findLast(isQuestion) === question;
    const rest = messages.slice(messages.indexOf(question) + 1);
    const answer = rest.findLast(isVisibleAnswer);
    if (!isLatest || !answer) throw refused(say('edit_not_latest'));
    if ((answer.tool_calls ?? []).length > 0) throw refused(say('edit_with_tools'));
    const replacement = text.trim();
    if (replacement === '') throw refused(say('edit_empty'));
    if (replacement === textIn(question).trim()) throw refused(say('edit_unchanged'));

    const { checkpointId, runId } = await this.#source(owner, thread, { turn: { question, rest }, answer });
    const run = await this.#options.runs.get(owner, { threadId, runId });
    if (run && run.status !== 'success') throw refused(say('edit_not_successful'));
    const newMessageId = this.#options.newId();
    const group =
      (run && (JSON.parse(run.metadata) as Record<string, unknown>).edit_version_group_id) ?? messageId;
    const edited = {
      ...question,
      id: newMessageId,
      content: replacement,
      additional_kwargs: kept(question.additional_kwargs),
    };
    const source = [question, ...rest.slice(0, rest.indexOf(answer) + 1)];
    return {
      ...replayOf({
        question: edited,
        title,
        checkpointId,
        runId,
        metadata: {
          regenerate_from_message_id: answer.id,
          replay_kind: 'edit',
          edit_from_message_id: messageId,
          edit_message_id: newMessageId,
          edit_version_group_id: group,
        },
      }),
      replacement_human_message_id: newMessageId,
      source_message_ids: source.map(({ id }) => id),
    };
  }

  /** The state from which the question with this id is asked again: what the thread was before it. */
  async checkpointBefore(
    owner: Owner,
    threadId: string,
    questionId: string,
  ): Promise<PreparedReplay['checkpoint']> {
    const thread = await this.#options.access.requireRecord(owner, threadId);
    const { checkpointId } = await this.#before(owner, thread, { questionId });
    return checkpointOf(checkpointId);
  }

  async #latest(owner: Owner, threadId: string) {
    const { access, states } = this.#options;
    const thread = await access.requireRecord(owner, threadId);
    const state = await states.current(ownedState(owner, threadId, graphIdOf(thread)));
    if (!state?.checkpoint)
      throw new AppError('checkpoint_not_found', { message: `Thread ${threadId} has no checkpoint` });
    const title = thread.display_name ?? (typeof state.values.title === 'string' ? state.values.title : null);
    return { thread, messages: messagesIn(state.values), title };
  }

  /** Returns where the new run begins, and which run it replaces. */
  async #source(
    owner: Owner,
    thread: ThreadRow,
    { turn, answer }: { turn: Turn; answer: TurnMessage },
  ): Promise<{ checkpointId: string; runId: string }> {
    const place = await this.#before(owner, thread, { questionId: turn.question.id, answerId: answer.id });
    const runId = (await this.#recordedRun(owner, thread.thread_id, answer.id)) ?? place.runId;
    if (runId === null) throw refused(say('answer_without_run'));
    return { checkpointId: place.checkpointId, runId };
  }

  /** The last state at rest that does not hold the question yet. */
  async #before(
    owner: Owner,
    thread: ThreadRow,
    { questionId, answerId }: { questionId: string; answerId?: string },
  ): Promise<Place> {
    const { thread_id: threadId } = thread;
    let runId: string | null = null;
    const about = ownedState(owner, threadId, graphIdOf(thread));
    for await (const state of lineageOf(this.#options.states, about)) {
      const ids = new Set(messagesIn(state.values).map(({ id }) => id));
      if (answerId !== undefined && ids.has(answerId))
        runId = typeof state.metadata.run_id === 'string' ? state.metadata.run_id : runId;
      if (ids.has(questionId) || !state.checkpoint) continue;
      if (isAtRest(state) || isBeginning(state))
        return { checkpointId: state.checkpoint.checkpoint_id, runId };
    }
    throw refused(say('answer_without_checkpoint'));
  }

  /** The run under which the answer is shown. The messages of a branch have runs of their own. */
  async #recordedRun(owner: Owner, threadId: string, messageId: string): Promise<string | null> {
    const filter = { threadId, category: 'message', limit: maxEvents } as const;
    const events = await this.#options.journal.events(owner, filter);
    return events.findLast(({ content }) => isMessage(content, messageId))?.run_id ?? null;
  }
}

function replayOf({
  question,
  title,
  checkpointId,
  runId,
  metadata,
}: {
  question: TurnMessage;
  title: string | null;
  checkpointId: string;
  runId: string;
  metadata: Record<string, unknown>;
}): PreparedReplay {
  const { id, name, additional_kwargs } = question;
  const content = [{ type: 'text', text: textIn(question) }];
  return {
    input: {
      messages: [{ type: 'human', id, content, additional_kwargs, ...(name && { name }) }],
      ...(title !== null && { title }),
    },
    checkpoint: checkpointOf(checkpointId),
    metadata: { ...metadata, regenerate_from_run_id: runId, regenerate_checkpoint_id: checkpointId },
    target_run_id: runId,
  };
}

function checkpointOf(checkpointId: string): PreparedReplay['checkpoint'] {
  return { checkpoint_ns: '', checkpoint_id: checkpointId, checkpoint_map: null };
}

function kept(extra: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(extra).filter(([key]) => keptOfQuestion.includes(key)));
}

function messageNotFound(messageId: string): AppError {
  return new AppError('message_not_found', { message: `Message ${messageId} not found` });
}

function refused(message: Wording): AppError {
  return new AppError('turn_not_replayable', { message });
}
