import { type Static, type TSchema, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { closed, nullable, oneOf } from '../shapes.ts';

/** The calls of OpenAI's clients. Names and shapes are those of OpenAI's published description. */

export const openaiBase = '/v1';

const tags = ['OpenAI-compatible'];
const optional = <Schema extends TSchema & { type: string }>(schema: Schema) =>
  Type.Optional(nullable(schema));
const unixTime = Type.Integer({ description: 'Seconds since 1970.' });
/** Clients put text of their own there; the gateway reads `thread_id`. */
const metadata = optional(
  Type.Record(Type.String(), Type.Unknown(), {
    description: '`thread_id` continues a thread of yours with the new messages. Other keys have no effect.',
  }),
);
const modelName = Type.String({ minLength: 1, maxLength: 300 });
const text = (maxLength: number) => Type.String({ maxLength });
const anything = Type.Optional(Type.Unknown());

export const openaiError = Type.Object({
  error: Type.Object({
    message: Type.String(),
    type: oneOf(['invalid_request_error', 'permission_error', 'rate_limit_error', 'server_error']),
    param: nullable(Type.String({ description: 'The field that is wrong.' })),
    code: nullable(Type.String({ description: 'For programs, such as `model_not_found`.' })),
  }),
});
export type OpenaiError = Static<typeof openaiError>;
const errorBody = openaiError;

export const openaiModel = Type.Object({
  id: Type.String({
    description:
      'An agent by its name, `workflow/<name>` for a saved workflow, `model/<name>` for a plain model.',
  }),
  object: oneOf(['model']),
  created: unixTime,
  owned_by: oneOf(['switchyard']),
  name: Type.String({ description: 'For people.' }),
  description: Type.String(),
  kind: oneOf(['agent', 'workflow', 'model']),
});
export type OpenaiModel = Static<typeof openaiModel>;

const lists = { access: 'session', headerOnly: true } as const;
const talks = { access: 'conversation:write', headerOnly: true, bodyLimit: 'large' } as const;

export const openaiModels = {
  method: 'GET',
  url: '/v1/models',
  config: lists,
  schema: {
    summary: 'List agents, plain models and exposed workflows as models',
    description: 'A token sees what its scopes let it call.',
    tags,
    errorBody,
    response: { 200: Type.Object({ object: oneOf(['list']), data: Type.Array(openaiModel) }) },
  },
} as const satisfies Endpoint;

export const openaiModelOfId = {
  method: 'GET',
  url: '/v1/models/:model',
  config: lists,
  schema: {
    summary: 'Get one model',
    tags,
    params: Type.Object({ model: modelName }),
    errorBody,
    response: { 200: openaiModel },
  },
} as const satisfies Endpoint;

const usage = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  prompt_tokens_details: Type.Object({ cached_tokens: Type.Integer() }),
});

const toolCall = Type.Object({
  id: Type.String(),
  type: oneOf(['function']),
  function: Type.Object({ name: Type.String(), arguments: Type.String() }),
});

export const openaiChatCompletion = Type.Object({
  id: Type.String(),
  object: oneOf(['chat.completion']),
  created: unixTime,
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      message: Type.Object({
        role: oneOf(['assistant']),
        content: nullable(Type.String()),
        refusal: Type.Null(),
        reasoning_content: Type.Optional(
          Type.String({ description: 'What the model thought, and the tools that the agent used here.' }),
        ),
        tool_calls: Type.Optional(Type.Array(toolCall)),
      }),
      logprobs: Type.Null(),
      finish_reason: oneOf(['stop', 'length', 'tool_calls', 'content_filter']),
    }),
  ),
  usage,
});
export type OpenaiChatCompletion = Static<typeof openaiChatCompletion>;

const chatMessage = Type.Object({
  role: oneOf(['system', 'developer', 'user', 'assistant', 'tool']),
  content: Type.Optional(Type.Unknown({ description: 'Text, or a list of parts `text` and `image_url`.' })),
  name: optional(text(200)),
  tool_calls: anything,
  tool_call_id: optional(text(500)),
});

const sampling = {
  temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
};
const maxTokens = optional(Type.Integer({ minimum: 1, maximum: 10_000_000 }));
const effort = oneOf(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']);

/** Options that would change the meaning of the answer, and are refused. */
const refused = ['n', 'logprobs', 'modalities', 'audio', 'functions', 'function_call', 'web_search_options'];

export const openaiChatRequest = Type.Object(
  {
    model: modelName,
    messages: Type.Array(chatMessage, { minItems: 1, maxItems: 10_000 }),
    stream: optional(Type.Boolean()),
    stream_options: optional(Type.Object({ include_usage: optional(Type.Boolean()) })),
    metadata,
    tools: optional(Type.Array(Type.Unknown(), { maxItems: 256 })),
    tool_choice: anything,
    parallel_tool_calls: optional(Type.Boolean()),
    response_format: anything,
    reasoning_effort: optional(effort),
    max_tokens: maxTokens,
    max_completion_tokens: maxTokens,
    ...sampling,
    frequency_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
    presence_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
    seed: optional(Type.Integer()),
    stop: anything,
    ...Object.fromEntries(refused.map((name) => [name, anything])),
  },
  {
    description: 'Sampling options reach plain models alone. Fields that are not named here have no effect.',
  },
);
export type OpenaiChatRequest = Static<typeof openaiChatRequest>;

export const openaiChat = {
  method: 'POST',
  url: '/v1/chat/completions',
  config: talks,
  schema: {
    summary: 'Ask an agent or a plain model',
    description:
      'Without `metadata.thread_id` the messages are the whole history, and nothing but the usage is kept. With `stream` the answer comes as events.',
    tags,
    body: openaiChatRequest,
    errorBody,
    response: { 200: openaiChatCompletion },
  },
} as const satisfies Endpoint;

const outputText = Type.Object({
  type: oneOf(['output_text']),
  text: Type.String(),
  annotations: Type.Array(Type.Unknown()),
});
const status = oneOf(['in_progress', 'completed', 'incomplete', 'failed']);

/** A message, a reasoning or a call of a function, by its `type`. */
export const openaiOutputItem = Type.Object({
  type: oneOf(['message', 'reasoning', 'function_call']),
  id: Type.String(),
  status: Type.Optional(status),
  role: Type.Optional(oneOf(['assistant'])),
  content: Type.Optional(Type.Array(outputText)),
  summary: Type.Optional(Type.Array(Type.Object({ type: oneOf(['summary_text']), text: Type.String() }))),
  call_id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  arguments: Type.Optional(Type.String()),
});
export type OpenaiOutputItem = Static<typeof openaiOutputItem>;

export const openaiResponse = Type.Object({
  id: Type.String({
    description: 'Names the run. `previous_response_id` takes it, unless `store` was false.',
  }),
  object: oneOf(['response']),
  created_at: unixTime,
  status,
  error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  incomplete_details: nullable(Type.Object({ reason: Type.String() })),
  instructions: nullable(Type.String()),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  model: Type.String(),
  output: Type.Array(openaiOutputItem),
  parallel_tool_calls: Type.Boolean(),
  previous_response_id: nullable(Type.String()),
  store: Type.Boolean(),
  temperature: nullable(Type.Number()),
  tool_choice: Type.Unknown(),
  tools: Type.Array(Type.Unknown()),
  top_p: nullable(Type.Number()),
  usage: nullable(
    Type.Object({
      input_tokens: Type.Integer(),
      input_tokens_details: Type.Object({ cached_tokens: Type.Integer() }),
      output_tokens: Type.Integer(),
      output_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
      total_tokens: Type.Integer(),
    }),
  ),
});
export type OpenaiResponse = Static<typeof openaiResponse>;

/** Options without effect here, which clients send by themselves. */
const ignored = Object.fromEntries(
  [
    'include',
    'prompt_cache_key',
    'prompt_cache_retention',
    'safety_identifier',
    'service_tier',
    'stream_options',
    'truncation',
    'user',
  ].map((name) => [name, anything]),
);

export const openaiResponsesRequest = Type.Object(
  {
    model: modelName,
    input: Type.Unknown({ description: 'Text, or a list of items.' }),
    instructions: optional(text(1_000_000)),
    stream: optional(Type.Boolean()),
    store: optional(Type.Boolean({ description: 'With false nothing but the usage is kept.' })),
    previous_response_id: optional(text(200)),
    metadata,
    tools: optional(Type.Array(Type.Unknown(), { maxItems: 256 })),
    tool_choice: anything,
    parallel_tool_calls: optional(Type.Boolean()),
    text: optional(Type.Object({ format: anything, verbosity: anything })),
    reasoning: optional(Type.Object({ effort: optional(effort), summary: anything })),
    max_output_tokens: maxTokens,
    ...sampling,
    ...ignored,
  },
  { ...closed, description: 'Other options are refused by their name.' },
);
export type OpenaiResponsesRequest = Static<typeof openaiResponsesRequest>;

export const openaiResponses = {
  method: 'POST',
  url: '/v1/responses',
  config: talks,
  schema: {
    summary: 'Ask an agent or a plain model by the Responses API',
    tags,
    body: openaiResponsesRequest,
    errorBody,
    response: { 200: openaiResponse },
  },
} as const satisfies Endpoint;

export const maxOpenaiImages = 10;

export const openaiImagesRequest = Type.Object(
  {
    model: modelName,
    prompt: Type.String({ minLength: 1, maxLength: 100_000 }),
    n: optional(Type.Integer({ minimum: 1, maximum: maxOpenaiImages })),
    size: optional(
      Type.String({
        pattern: '^(auto|[1-9][0-9]{0,4}x[1-9][0-9]{0,4})$',
        description: '`auto` or `1024x1024`.',
      }),
    ),
    seed: optional(Type.Integer()),
    response_format: optional(oneOf(['url', 'b64_json'])),
  },
  {
    additionalProperties: true,
    description: 'Further fields that are named like parameters of the workflow set them.',
  },
);
export type OpenaiImagesRequest = Static<typeof openaiImagesRequest>;

export const openaiImages = {
  method: 'POST',
  url: '/v1/images/generations',
  config: { access: 'dispatch:write', headerOnly: true },
  schema: {
    summary: 'Run a saved workflow, and wait for its pictures',
    tags,
    body: openaiImagesRequest,
    errorBody,
    response: {
      200: Type.Object({
        created: unixTime,
        data: Type.Array(
          Type.Object({
            url: Type.Optional(Type.String({ description: 'Loadable without credentials for a day.' })),
            b64_json: Type.Optional(Type.String()),
          }),
        ),
      }),
    },
  },
} as const satisfies Endpoint;
