import type { Client } from '@switchyard/client/client';
import { ApiError } from '@switchyard/client/errors';
import { markThreadRead } from '@switchyard/contract/conversation/read-threads';
import type { RunCreate } from '@switchyard/contract/conversation/run';
import { cancelRun, getRun } from '@switchyard/contract/conversation/runs';
import type { StreamedMessage } from '@switchyard/contract/conversation/stream-frames';
import { getState } from '@switchyard/contract/conversation/threads';
import { ChatView } from './chat-view.ts';
import type { Interrupt } from './interrupt-answer.ts';
import { withInterrupts } from './interrupts.ts';
import type { Terminal } from './terminal.ts';

interface TurnContext {
  client: Client;
  terminal: Terminal;
  threadId: string;
  /** Prints frames as JSON, one per line, instead of text. */
  asJson: boolean;
}

export interface TurnEnd {
  outcome: 'done' | 'failed' | 'cancelled';
  /** Why the run failed. */
  error: string | null;
  /** The questions that the agent waits for. */
  interrupts: Interrupt[];
}

const streamModes = ['messages-tuple', 'updates', 'custom'];

/** One run from its start to its end on the terminal. Ctrl-C cancels it and then waits for its end. */
export function takeTurn(body: RunCreate, context: TurnContext): Promise<TurnEnd> {
  return withInterrupts((signal) => streamRun({ ...body, stream_mode: streamModes }, signal, context));
}

async function streamRun(body: RunCreate, signal: AbortSignal, context: TurnContext): Promise<TurnEnd> {
  const { client, terminal, threadId, asJson } = context;
  const view = new ChatView(terminal);
  const end: TurnEnd = { outcome: 'done', error: null, interrupts: [] };
  // Never aborted: a run whose id is not known cannot be cancelled.
  const stream = await client.runs.start(threadId, body);
  let hasGap = false;
  const cancel = (): void => {
    end.outcome = 'cancelled';
    view.note('Cancelling; once more leaves at once.');
    cancelQuietly(client, stream.threadId, stream.runId).catch((error: Error) => view.note(error.message));
  };
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  for await (const frame of stream) {
    if (asJson) terminal.stdout.write(`${JSON.stringify(frame)}\n`);
    else view.show(frame);
    if (frame.event === 'gap') hasGap = true;
    if (frame.event === 'updates') end.interrupts = interruptsIn(frame.data) ?? end.interrupts;
    if (frame.event === 'error' && end.outcome !== 'cancelled') {
      end.outcome = 'failed';
      end.error = frame.data.message;
    }
  }
  signal.removeEventListener('abort', cancel);
  await markSeen(client, { thread_id: threadId, run_id: stream.runId }, view);
  if (asJson) return end;
  if (hasGap) await showStoredAnswer(view, client, threadId);
  view.finish();
  return end;
}

/** The answer was read here, so no other page has to show it as unread. A run that has ended since stays unread. */
async function markSeen(
  client: Client,
  params: { thread_id: string; run_id: string },
  view: ChatView,
): Promise<void> {
  try {
    const { ended_at } = await client.call(getRun, { params });
    if (ended_at === null) return;
    const { thread_id } = params;
    await client.call(markThreadRead, { params: { thread_id }, body: { run_ended_at: ended_at } });
  } catch (error) {
    view.note(`The thread stays unread: ${(error as Error).message}`);
  }
}

/** The run may have ended by itself in the meantime. */
async function cancelQuietly(client: Client, thread_id: string, run_id: string): Promise<void> {
  try {
    await client.call(cancelRun, { params: { thread_id, run_id } });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error;
  }
}

function interruptsIn({ __interrupt__: interrupts }: Record<string, unknown>): Interrupt[] | undefined {
  return Array.isArray(interrupts) ? (interrupts as Interrupt[]) : undefined;
}

/** Part of the stream was gone before it was read. The thread has the whole answer. */
async function showStoredAnswer(view: ChatView, client: Client, thread_id: string): Promise<void> {
  const { values } = await client.call(getState, { params: { thread_id } });
  const messages = Array.isArray(values.messages) ? (values.messages as StreamedMessage[]) : [];
  const last = messages.at(-1);
  if (last?.type === 'ai') view.showWhole(last);
}
