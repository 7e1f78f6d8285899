import { type Static, Type } from 'typebox';
import { threadId } from '../conversation/ids.ts';
import { runCommand, runConfig } from '../conversation/run.ts';
import type { Endpoint } from '../endpoint.ts';
import { nullable, oneOf } from '../shapes.ts';

/** The AG-UI protocol 1.0, as its clients and CopilotKit call it. Names and shapes are those of the protocol. */

const id = Type.String({ minLength: 1, maxLength: 256 });
const record = Type.Record(Type.String(), Type.Unknown());

const roles = ['user', 'assistant', 'tool', 'system', 'developer', 'activity', 'reasoning'] as const;

const toolCall = Type.Object({
  id,
  function: Type.Object({ name: Type.String({ maxLength: 256 }), arguments: Type.String() }),
});

const agUiMessage = Type.Object({
  id,
  role: oneOf(roles),
  name: Type.Optional(nullable(Type.String({ maxLength: 256 }))),
  content: Type.Optional(Type.Unknown({ description: 'Text, or for a user parts: text and images.' })),
  toolCalls: Type.Optional(nullable(Type.Array(toolCall, { maxItems: 1_000 }))),
  toolCallId: Type.Optional(nullable(id)),
});
export type AgUiMessage = Static<typeof agUiMessage>;

const agUiInput = Type.Object({
  threadId: { ...threadId, description: 'Is made when it does not exist.' },
  runId: { ...id, description: 'Comes back in the events. The gateway gives the run an id of its own.' },
  messages: Type.Array(agUiMessage, {
    maxItems: 10_000,
    description:
      'Those that the thread does not have are added to it. When the last one is a question that it has already, the run answers that question again.',
  }),
  state: Type.Optional(
    Type.Unknown({ description: 'Values that differ from the state of the thread are changes of it.' }),
  ),
  tools: Type.Optional(nullable(Type.Array(record, { maxItems: 1_000 }))),
  context: Type.Optional(nullable(Type.Array(record, { maxItems: 1_000 }))),
  resume: Type.Optional(
    nullable(
      Type.Array(
        Type.Object({
          interruptId: id,
          status: oneOf(['resolved', 'cancelled']),
          payload: Type.Optional(Type.Unknown()),
        }),
        {
          maxItems: 100,
          description: 'Answers to interrupts; that to a cancelled one is null without a payload.',
        },
      ),
    ),
  ),
  forwardedProps: Type.Optional(
    nullable(
      Type.Object({
        command: Type.Optional(nullable(runCommand)),
        config: Type.Optional(nullable(runConfig)),
        context: Type.Optional(nullable(record)),
      }),
    ),
  ),
});
export type AgUiInput = Static<typeof agUiInput>;

export const runAgUi = {
  method: 'POST',
  url: '/ag-ui/:agent',
  config: { access: 'conversation:write', bodyLimit: 'large' },
  schema: {
    summary: 'Run an agent and follow it in the AG-UI protocol',
    description:
      'The run is cancelled when the client goes away. `agent` is a graph, an assistant or an own agent.',
    tags: ['AG-UI'],
    params: Type.Object({ agent: Type.String({ minLength: 1, maxLength: 128 }) }),
    body: agUiInput,
    produces: ['text/event-stream'],
    response: {
      200: Type.String({
        description: 'Events of AG-UI 1.0, from RUN_STARTED to RUN_FINISHED or RUN_ERROR.',
      }),
    },
  },
} as const satisfies Endpoint;
