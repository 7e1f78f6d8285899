import { messageText } from '@switchyard/client/conversation/message-list';
import type { Run } from '@switchyard/contract/conversation/run';
import type { ThreadMessage } from '@switchyard/contract/conversation/run-events';
import type { StreamedMessage } from '@switchyard/contract/conversation/stream-frames';
import type { Task } from '@switchyard/contract/dispatch/task';
import { isRecord } from '@switchyard/contract/is-record';
import type { RunNews } from '../../../lib/live/run-news.ts';
import { taskIdIn } from './tool-result.ts';
import type { ToolPart, ToolTask, Turn, TurnPart } from './turn.ts';

export interface TurnSources {
  /** The stored messages, in their order. */
  stored: readonly ThreadMessage[];
  runs: readonly Run[];
  /** The tasks that agents of the thread asked for. */
  tasks: readonly Task[];
  /** The run in progress, with the content of its stream so far. */
  live: { runId: string; news: RunNews } | null;
  /** False for a graph that takes no messages: each of its runs is a turn. */
  isTalk: boolean;
  /** A message that was just sent and that no answer shows yet. */
  sent: { runId: string; message: StreamedMessage } | null;
  /** The thread waits for the answer of a person. */
  isAsked: boolean;
}

/** A message and the run that it belongs to. */
interface PlacedMessage {
  runId: string;
  message: StreamedMessage;
  row: ThreadMessage | null;
}

/**
 * Joins the stored messages and those of the stream to one conversation: each message once, each call with its task.
 */
export function turnsOf(sources: TurnSources): Turn[] {
  const said = saidIn(sources);
  const asking = sources.isAsked ? said.at(-1)?.runId : undefined;
  const calls = new CallFacts(sources, said, asking);
  const runs = new Map(sources.runs.map((run) => [run.run_id, run]));
  const turns = new Map<string, Turn>();
  for (const placed of said) {
    const { runId } = placed;
    const turn = turns.get(runId) ?? emptyTurn(runId, runs.get(runId) ?? null, isSpeaking(sources, runId));
    turns.set(runId, turn);
    addMessage(turn, placed, calls);
  }
  const { live, isTalk } = sources;
  for (const run of isTalk ? [] : sources.runs.toReversed())
    if (!turns.has(run.run_id))
      turns.set(run.run_id, emptyTurn(run.run_id, run, isSpeaking(sources, run.run_id)));
  if (live && !turns.has(live.runId) && live.news.phase !== 'ended') {
    turns.set(live.runId, emptyTurn(live.runId, runs.get(live.runId) ?? null, true));
  }
  return [...turns.values()];
}

function addMessage(turn: Turn, { message, row }: PlacedMessage, calls: CallFacts): void {
  turn.firstSeq ??= row?.seq ?? null;
  if (row?.feedback) turn.feedback = row.feedback;
  if (message.response_metadata?.simulated === true) turn.isSimulated = true;
  if (message.type === 'human') turn.human ??= message;
  if (message.type !== 'ai') return;
  turn.parts.push(...partsOf(message, calls, turn));
  turn.answerId = message.id ?? turn.answerId;
}

/** The stream of a run that is over stays on the page and brings nothing more. */
function isSpeaking({ live }: TurnSources, runId: string): boolean {
  return live?.runId === runId && live.news.phase !== 'ended' && live.news.phase !== 'failed';
}

function emptyTurn(runId: string, run: Run | null, isLive: boolean): Turn {
  const isOpen = isLive || run?.status === 'running' || run?.status === 'pending';
  return {
    runId,
    human: null,
    parts: [],
    answerId: null,
    run,
    isLive: isOpen,
    isSimulated: false,
    feedback: null,
    firstSeq: null,
  };
}

/**
 * Stored messages come first. A newer version of one of them in the stream replaces it; the other messages of the
 * stream belong to its run.
 */
function saidIn({ stored, live, sent }: TurnSources): PlacedMessage[] {
  const fresh = new Map(live?.news.messages.map((message) => [message.id, message]));
  const known = new Set<unknown>();
  const said: PlacedMessage[] = [];
  for (const row of stored) {
    const message = messageIn(row);
    if (!message || known.has(message.id)) continue;
    known.add(message.id);
    said.push({ runId: row.run_id, message: newest(message, fresh.get(message.id)), row });
  }
  if (sent && !known.has(sent.message.id)) {
    known.add(sent.message.id);
    said.push({ ...sent, row: null });
  }
  if (!live || !continues(stored, live)) return said;
  const before = new Set(stored.map((row) => messageIn(row)?.id));
  const firstNew = live.news.messages.findLastIndex(({ id }) => before.has(id ?? undefined));
  for (const message of live.news.messages.slice(firstNew + 1)) {
    if (!known.has(message.id)) said.push({ runId: live.runId, message, row: null });
  }
  return said;
}

/** A run whose stored messages have not been read shows only itself, not the whole thread a second time. */
function continues(stored: readonly ThreadMessage[], { news }: { news: RunNews }): boolean {
  return stored.length > 0 || news.messages.length > 0;
}

/** While a message is streamed the stream knows more of it than what is stored. */
function newest(stored: StreamedMessage, fresh: StreamedMessage | undefined): StreamedMessage {
  return fresh && messageText(fresh).length > messageText(stored).length ? fresh : stored;
}

function messageIn({ content }: ThreadMessage): StreamedMessage | null {
  return isRecord(content) && typeof content.type === 'string' ? (content as StreamedMessage) : null;
}

function partsOf(message: StreamedMessage, calls: CallFacts, turn: Turn): TurnPart[] {
  const text = messageText(message);
  const parts: TurnPart[] = text === '' ? [] : [{ kind: 'text', id: `${message.id}`, text }];
  for (const call of message.tool_calls ?? []) {
    if (typeof call.id === 'string') parts.push(calls.part(call.id, call, turn));
  }
  return parts;
}

/** The known facts about each call of a tool, by its id. */
class CallFacts {
  readonly #results: ReadonlyMap<unknown, StreamedMessage>;
  readonly #tasks: ReadonlyMap<string, Task>;
  readonly #taskOfCall: ReadonlyMap<string, Task>;
  readonly #news: RunNews | null;
  readonly #asking: string | undefined;

  /** `asking` is the run that waits for an answer. */
  constructor({ tasks, live }: TurnSources, said: readonly PlacedMessage[], asking: string | undefined) {
    const results = said.filter(({ message }) => message.type === 'tool');
    this.#results = new Map(results.map(({ message }) => [message.tool_call_id, message]));
    this.#tasks = new Map(tasks.map((task) => [task.id, task]));
    // The list begins with the newest task, and a call has one; the first attempt of a repeated call stays behind.
    const byCall = tasks.toReversed().map((task) => [task.conversation?.toolCallId ?? '', task] as const);
    this.#taskOfCall = new Map(byCall);
    this.#news = live?.news ?? null;
    this.#asking = asking;
  }

  part(id: string, { name, args }: { name: string; args: unknown }, { runId, isLive }: Turn): ToolPart {
    const result = this.#results.get(id) ?? null;
    const subagent = this.#news?.subagents.get(id) ?? null;
    const progress = this.#news?.progress.get(id) ?? null;
    const state = result
      ? endOf(result)
      : isLive
        ? 'running'
        : runId === this.#asking
          ? 'waiting'
          : 'stopped';
    return { kind: 'tool', id, name, args, result, state, task: this.#task(id, result), subagent, progress };
  }

  #task(callId: string, result: StreamedMessage | null): ToolTask | null {
    const live = this.#news?.tasks.get(callId) ?? null;
    const ofCall = this.#taskOfCall.get(callId);
    const taskId = live?.taskId ?? ofCall?.id ?? (result && taskIdIn(result));
    if (!taskId) return null;
    return { taskId, task: this.#tasks.get(taskId) ?? null, live };
  }
}

function endOf(result: StreamedMessage): ToolPart['state'] {
  if (result.additional_kwargs?.stopped === true) return 'stopped';
  return result.status === 'error' ? 'failed' : 'done';
}
