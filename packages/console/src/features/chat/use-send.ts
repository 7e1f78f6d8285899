import { randomId } from '@switchyard/client/random-id';
import type { Run, RunCreate } from '@switchyard/contract/conversation/run';
import { createRun } from '@switchyard/contract/conversation/runs';
import type { StreamedMessage } from '@switchyard/contract/conversation/stream-frames';
import { createThread } from '@switchyard/contract/conversation/threads';
import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { keys } from '../../lib/data/keys.ts';
import { threadMessagesQuery, threadRunsQuery } from '../../lib/data/threads.ts';
import { gateway } from '../../lib/gateway.ts';
import type { ChosenAgent } from './use-agent-choice.ts';

/** A message that was sent, until the stored conversation has it. */
export interface SentMessage {
  runId: string;
  message: StreamedMessage;
}

/** The last message that this page has sent into a thread; null when it has sent none. */
export function sentMessageQuery(threadId: string) {
  return queryOptions({
    queryKey: ['sent', threadId],
    queryFn: (): SentMessage | null => null,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export interface Outgoing {
  text: string;
  /** Names of uploads of the thread. */
  files: readonly string[];
}

const streamMode = ['messages-tuple', 'values', 'custom'];

/** Starts runs in a thread. The run goes on whatever becomes of the page. */
export function useSend({ requests }: Pick<ChosenAgent, 'requests'>) {
  const cache = useQueryClient();

  const start = async (threadId: string, body: RunCreate): Promise<Run> => {
    const run = await gateway.call(createRun, {
      params: { thread_id: threadId },
      body: { stream_mode: streamMode, ...body },
    });
    await cache.cancelQueries({ queryKey: threadRunsQuery(threadId).queryKey });
    cache.setQueryData<Partial<Run>[]>(threadRunsQuery(threadId).queryKey, (runs = []) => [
      run,
      ...runs.filter(({ run_id }) => run_id !== run.run_id),
    ]);
    void cache.invalidateQueries({ queryKey: keys.threadPages });
    return run;
  };

  const send = async (threadId: string, outgoing: Outgoing, more: RunCreate = {}): Promise<void> => {
    const message = humanMessage(outgoing);
    const { asked } = await requests();
    const run = await start(threadId, { ...asked, input: { messages: [message] }, ...more });
    const sent: SentMessage = { runId: run.run_id, message };
    cache.setQueryData(sentMessageQuery(threadId).queryKey, sent);
    // Its conversation is the newest now, and may be another one than before.
    if (more.checkpoint_id) readNewest(cache, threadId);
  };

  /** Runs a graph whose input is not a message. */
  const run = async (threadId: string, input: unknown, more: RunCreate = {}): Promise<void> => {
    const { asked } = await requests();
    await start(threadId, { ...asked, input, ...more });
  };

  const resume = async (threadId: string, answer: RunCreate): Promise<void> => {
    const { answered } = await requests();
    await start(threadId, { ...answered, ...answer });
    await cache.invalidateQueries({ queryKey: keys.thread(threadId) });
  };
  return { send, run, resume };
}

/** Reads the newest conversation again. Where another one is shown, that stays on the page until the newest is here. */
function readNewest(cache: QueryClient, threadId: string): void {
  const { queryKey } = threadMessagesQuery(threadId);
  cache.removeQueries({ queryKey, exact: true, type: 'inactive' });
  void cache.invalidateQueries({ queryKey: keys.thread(threadId) });
}

export type Sending = ReturnType<typeof useSend>;

/** Makes a thread for the agent that is to answer in it. */
export async function newThread({ assistant_id }: Pick<RunCreate, 'assistant_id'>): Promise<string> {
  const { thread_id: threadId } = await gateway.call(createThread, { body: { assistant_id } });
  return threadId;
}

function humanMessage({ text, files }: Outgoing): StreamedMessage {
  const uploads = files.map((filename) => ({ filename, path: `/mnt/user-data/uploads/${filename}` }));
  return {
    type: 'human',
    id: randomId(),
    content: text,
    ...(uploads.length > 0 && { additional_kwargs: { files: uploads } }),
  };
}
