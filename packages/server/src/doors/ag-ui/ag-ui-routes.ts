import { type AgUiInput, runAgUi } from '@switchyard/contract/doors/ag-ui';
import type { ProtocolEvent } from '../../agents/run-events/protocol-event.ts';
import type { ThreadEvents } from '../../conversation/protocol/thread-events.ts';
import { runCallerOf } from '../../conversation/runs/run-caller.ts';
import { cancelFor } from '../../conversation/runs/run-wait-routes.ts';
import type { Runs } from '../../conversation/runs/runs.ts';
import type { ThreadAccess } from '../../conversation/threads/thread-access.ts';
import type { ThreadStates } from '../../conversation/threads/thread-states.ts';
import type { Replays } from '../../conversation/turns/replays.ts';
import { messagesIn } from '../../conversation/turns/turn-messages.ts';
import { identityOf, ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import { arrivalOf } from '../../http/exchange/arrivals.ts';
import { traceOf } from '../../http/exchange/request-traces.ts';
import { whileOpen } from '../../http/streams/held-answer.ts';
import type { OpenStreams } from '../../http/streams/open-streams.ts';
import { sendEvents } from '../../http/streams/sse.ts';
import type { Owner } from '../../lib/owner.ts';
import { askedAgain, askedRun, type KnownThread } from './asked-run.ts';
import { type AgUiEvent, AgUiRunEvents } from './run-events.ts';

export interface AgUiDoorOptions {
  runs: Runs;
  threadEvents: Pick<ThreadEvents, 'ofRun'>;
  threadStates: Pick<ThreadStates, 'current'>;
  access: Pick<ThreadAccess, 'require'>;
  replays: Pick<Replays, 'checkpointBefore'>;
  openStreams: Pick<OpenStreams, 'open'>;
}

/** The events of the second protocol that AG-UI has words for. */
const channels = ['messages', 'tools', 'values', 'tasks', 'custom', 'input', 'lifecycle'];
const newThread: KnownThread = { values: {}, messageIds: new Set() };

/** The agents for clients of AG-UI, such as CopilotKit. A run is one of `/api`, and its thread too. */
export function agUiRoutes(options: AgUiDoorOptions): Routes {
  const { runs, threadEvents, openStreams } = options;
  return (app) => {
    app.route({
      ...runAgUi,
      handler: async (request, reply) => {
        const owner = ownerOf(request);
        const { threadId, runId } = request.body;
        await whileOpen({ openStreams, request }, 'events', async (open) => {
          const body = await bodyOf(owner, request.params.agent, request.body, options);
          const caller = runCallerOf(identityOf(request), {
            mount: '/api/langgraph',
            arrival: arrivalOf(request),
            trace: traceOf(request),
          });
          const { run } = await runs.start(caller, threadId, body, { claim: true });
          const made = new AgUiRunEvents({ threadId, runId });
          const source = (signal: AbortSignal) =>
            encoded(made, {
              runId: run.run_id,
              events: threadEvents.ofRun(owner, run, { channels }, signal),
            });
          const end = await sendEvents(request, reply, { openStreams: { open: () => open }, source });
          if (end === 'client_gone') await cancelFor(runs, request, run);
        });
        return reply;
      },
    });
  };
}

async function bodyOf(
  owner: Owner,
  agent: string,
  input: AgUiInput,
  { access, threadStates, replays }: AgUiDoorOptions,
) {
  const { threadId } = input;
  const thread = await access.require(owner, threadId, { mustExist: false });
  const known = thread ? knownIn(await threadStates.current(owner, threadId)) : newThread;
  const question = askedAgain(input, known);
  if (question === null) return askedRun(agent, input, known);
  const checkpoint = await replays.checkpointBefore(owner, threadId, question);
  const messageIds = new Set([...known.messageIds].slice(0, [...known.messageIds].indexOf(question)));
  return { ...askedRun(agent, input, { ...known, messageIds }), checkpoint };
}

function knownIn({ values }: Awaited<ReturnType<ThreadStates['current']>>): KnownThread {
  const known = (values ?? {}) as Record<string, unknown>;
  return { values: known, messageIds: new Set(messagesIn(known).map(({ id }) => id)) };
}

async function* encoded(
  made: AgUiRunEvents,
  { runId, events }: { runId: string; events: AsyncIterable<ProtocolEvent[]> },
): AsyncGenerator<Uint8Array> {
  yield frames([made.begin(runId)]);
  for await (const batch of events) {
    const told = batch.flatMap((event) => made.add(event));
    if (told.length > 0) yield frames(told);
  }
  const rest = made.end();
  if (rest.length > 0) yield frames(rest);
}

function frames(events: readonly AgUiEvent[]): Uint8Array {
  return Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
}
