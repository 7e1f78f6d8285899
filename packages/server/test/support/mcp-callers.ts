import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  createApplicationInputHandler,
  createTaskSessionFromClient,
} from '@modelcontextprotocol/ext-tasks/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { HttpSession } from '@switchyard/dev-env/http-session';

// biome-ignore lint/suspicious/noExplicitAny: a test reads answers as they come, to see what is on the wire
type Answer = any;

const mcpScopes = [
  'mcp',
  'dispatch:read',
  'dispatch:write',
  'conversation:read',
  'conversation:write',
] as const;

const clientInfo = { name: 'test', version: '1.0.0' };
const protocolVersion = '2026-07-28';
const tasks = { 'io.modelcontextprotocol/tasks': {} };

/** An account with a token, and the official clients of MCP that use it. */
export class McpCallers {
  readonly address: URL;
  readonly token: string;

  constructor(url: string, token: string, path = '/mcp') {
    this.address = new URL(path, url);
    this.token = token;
  }

  static async of(
    url: string,
    session: HttpSession,
    scopes: readonly string[] = mcpScopes,
  ): Promise<McpCallers> {
    const made = await session.post<{ token: string }>('/api/v1/auth/tokens', { name: 'mcp', scopes });
    return new McpCallers(url, made.token);
  }

  /** The same account at another address: another replica, or the gateway after a start. */
  at(url: string, path = '/mcp'): McpCallers {
    return new McpCallers(url, this.token, path);
  }

  get #requestInit() {
    return { headers: { authorization: `Bearer ${this.token}` } };
  }

  /** The client of version 2, which speaks the present revision, or the older ones. */
  async connect(mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
    const client = new Client(clientInfo, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(this.address, { requestInit: this.#requestInit }));
    return client;
  }

  /** The client of version 1. */
  async connectOlder(): Promise<OlderClient> {
    const client = new OlderClient(clientInfo);
    // The types of the package do not allow for `exactOptionalPropertyTypes`.
    await client.connect(new OlderTransport(this.address, { requestInit: this.#requestInit }) as Answer);
    return client;
  }

  /** A session of the tasks extension, which follows tasks to their end. `answerWith` answers every question. */
  async taskSession(answerWith: (message: string) => string = () => '') {
    const client = await this.connect();
    const clientCapabilities = { elicitation: { form: {} }, extensions: tasks };
    const questions: Answer[] = [];
    const session = createTaskSessionFromClient(client, {
      endpointId: this.address.href,
      rawDispatch: async (request) => {
        const { result, error } = (await this.send({ jsonrpc: '2.0', id: 1, ...(request as object) })).body;
        return error ? { kind: 'error', error } : { kind: 'result', result };
      },
      v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities },
      onInputRequest: createApplicationInputHandler({
        elicitation: ({ params }) => {
          questions.push(params);
          return { action: 'accept', content: { answer: answerWith(String(params.message)) } };
        },
        sampling: () => Promise.reject(new Error('no sampling')),
        roots: () => ({ roots: [] }),
      }),
    });
    return { session, questions };
  }

  /** One request of the present revision, written by hand. */
  request(method: string, params: object = {}, { withTasks = false } = {}) {
    return this.send(this.message(method, params, { withTasks }));
  }

  message(method: string, params: object, { withTasks }: { withTasks: boolean }) {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': protocolVersion,
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': withTasks ? { extensions: tasks } : {},
      ...('_meta' in params && (params._meta as object)),
    };
    return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
  }

  async send(
    message: Answer,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; headers: Headers; body: Answer }> {
    const answer = await this.post(message, headers);
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) };
  }

  /** A text is sent as it is. */
  post(message: Answer, headers: Record<string, string> = {}): Promise<Response> {
    const { method, params } = Object(message);
    const name = params?.name ?? params?.taskId;
    const isPlain = (value: unknown) => typeof value === 'string' && /^[\w/.-]{1,100}$/.test(value);
    return fetch(this.address, {
      method: 'POST',
      headers: {
        ...this.#requestInit.headers,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': protocolVersion,
        ...(isPlain(method) && { 'mcp-method': method }),
        ...(isPlain(name) && { 'mcp-name': name }),
        ...headers,
      },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    });
  }
}
