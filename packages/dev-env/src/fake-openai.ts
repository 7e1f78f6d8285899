import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The answer of the fake to one request. */
export interface FakeReply {
  text?: string;
  /** The reasoning text that some models send beside the answer. */
  reasoning?: string;
  calls?: { id: string; name: string; args: object }[];
  usage?: { input: number; output: number };
  /** An error in place of an answer. */
  status?: number;
  headers?: Record<string, string>;
  /** The stream stops here and stays open until the client closes it. An unstreamed answer never arrives. */
  hangs?: boolean;
  /** The rest of a streamed answer, which begins when its turn comes. */
  later?: { when: Promise<void>; text: string };
  /** Nothing is sent before this has settled. */
  after?: Promise<void>;
  /** The answer never ends and sends more and more text. */
  isEndless?: boolean;
}

export interface FakeRequest {
  model: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads messages as they were sent
  messages: any[];
  tools: string[];
  authorization: string | undefined;
  traceparent: unknown;
  /** The whole request. */
  body: Record<string, unknown>;
}

export interface FakeOpenAi {
  /** The address for `base_url`. */
  url: string;
  requests: FakeRequest[];
  close: () => Promise<void>;
}

/**
 * A server with OpenAI's chat completions, streamed or whole, that answers as a test decides. It speaks the protocol of
 * the provider as it is on the wire, arguments of tools in pieces included.
 */
export async function startFakeOpenAi(answer: (request: FakeRequest) => FakeReply): Promise<FakeOpenAi> {
  const requests: FakeRequest[] = [];
  const server = createServer(async (incoming, response) => {
    if (incoming.method !== 'POST' || incoming.url !== '/v1/chat/completions') {
      response.writeHead(404).end();
      return;
    }
    const request = requestOf(await bodyOf(incoming), incoming);
    requests.push(request);
    const reply = answer(request);
    await reply.after;
    send(response, request, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, { model, body }: FakeRequest, reply: FakeReply): void {
  if (reply.status !== undefined) {
    const error = { message: `The fake refuses with ${reply.status}`, type: 'fake', code: null };
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(JSON.stringify({ error }));
    return;
  }
  if (reply.isEndless) {
    goOn(response);
    return;
  }
  const about = { id: `chatcmpl-${Math.random()}`, created: 1, model };
  if (body.stream !== true) {
    if (reply.hangs) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...about, object: 'chat.completion', ...wholeAnswer(reply) }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (some: FakeReply): void => {
    for (const piece of pieces(some)) {
      response.write(`data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', ...piece })}\n\n`);
    }
    if (!some.hangs) response.end('data: [DONE]\n\n');
  };
  const { later, ...now } = reply;
  write(later ? { ...now, hangs: true } : now);
  void later?.when.then(() => write({ ...now, text: later.text }));
}

/** Sends one endless line as fast as it is read, in a stream as well as in an unstreamed answer. */
function goOn(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const piece = ' '.repeat(65_536);
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', more);
  more();
}

function wholeAnswer(reply: FakeReply): object {
  const { text = '', reasoning, calls = [] } = reply;
  const tool_calls = calls.map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message = {
    role: 'assistant',
    content: text,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls }),
  };
  return { choices: [{ index: 0, message, finish_reason: finishOf(reply) }], usage: usageOf(reply) };
}

function* pieces(reply: FakeReply): Generator<object> {
  const { text = '', reasoning, calls = [] } = reply;
  yield delta({ role: 'assistant', content: '' });
  if (reasoning !== undefined) yield delta({ reasoning_content: reasoning });
  for (const word of text.match(/\S+\s*/g) ?? []) yield delta({ content: word });
  for (const [index, { id, name, args }] of calls.entries()) {
    const written = JSON.stringify(args);
    const half = Math.ceil(written.length / 2);
    yield delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
    for (const part of [written.slice(0, half), written.slice(half)]) {
      yield delta({ tool_calls: [{ index, function: { arguments: part } }] });
    }
  }
  if (reply.hangs) return;
  yield { choices: [{ index: 0, delta: {}, finish_reason: finishOf(reply) }] };
  yield { choices: [], usage: usageOf(reply) };
}

function delta(content: object): object {
  return { choices: [{ index: 0, delta: content, finish_reason: null }] };
}

function finishOf({ calls = [] }: FakeReply): string {
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

function usageOf({ usage = { input: 10, output: 5 } }: FakeReply): object {
  const { input, output } = usage;
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function requestOf(body: Record<string, unknown>, { headers }: IncomingMessage): FakeRequest {
  const tools = (body.tools ?? []) as { function: { name: string } }[];
  return {
    model: String(body.model),
    messages: body.messages as unknown[],
    tools: tools.map((tool) => tool.function.name),
    authorization: headers.authorization,
    traceparent: headers.traceparent,
    body,
  };
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}
