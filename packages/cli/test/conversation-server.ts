import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, Readable, Writable } from 'node:stream';
import { answerJson, type ScriptedServer, startScriptedServer } from '@switchyard/dev-env/scripted-server';
import { runCli } from '../src/cli.ts';

export type Frame = [event: string, data: unknown];

interface Request {
  method: string;
  path: string;
  body: unknown;
}

type Answer = (response: ServerResponse, request: Request) => void;

interface CliOptions {
  /** The input that another program pipes in, or that a person types at a terminal, a piece at each prompt. */
  stdin?: Readable;
  isTTY?: boolean;
  scheme?: 'http' | 'https';
  /** Null: no one has signed in. */
  token?: string | null;
}

class Output extends Writable {
  text = '';
  readonly columns = 60;
  readonly isTTY: boolean;

  constructor(isTTY: boolean) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
  }

  override _write(text: string | Buffer, _encoding: string, done: () => void): void {
    this.text += String(text);
    this.emit('said', String(text));
    done();
  }
}

function answerPrompts(output: Output, typed: Readable): Readable & { isTTY: boolean } {
  const keyboard = Object.assign(new PassThrough(), { isTTY: true });
  const pieces = typed[Symbol.asyncIterator]();
  output.on('said', async (text: string) => {
    if (!text.includes('> ')) return;
    const { value, done } = await pieces.next();
    if (!done) keyboard.write(value);
  });
  return keyboard;
}

/** A gateway that gives a test's answers and records the requests. */
export class ConversationServer {
  readonly requests: Request[] = [];
  readonly #answers = new Map<string, Answer[]>();
  #server: ScriptedServer | undefined;

  async start(): Promise<void> {
    this.on('GET /healthz', json({ status: 'ok' }));
    this.#server = await startScriptedServer((request, response) => {
      this.#answer(request, response).catch((error: Error) => response.destroy(error));
    });
  }

  get port(): number | undefined {
    return this.#server?.port;
  }

  /** The answers to requests such as `POST /api/threads`, one after the other; the last one is repeated. */
  on(line: string, ...answers: Answer[]): void {
    this.#answers.set(line, answers);
  }

  /** Runs one command against it. */
  async cli(args: string[], options: CliOptions = {}) {
    const { stdin = Readable.from([]), isTTY = false, scheme = 'http', token = 'secret' } = options;
    const stdout = new Output(isTTY);
    const stderr = new Output(isTTY);
    const typist = isTTY ? answerPrompts(stderr, stdin) : undefined;
    const terminal = {
      env: { NO_COLOR: '1', XDG_CONFIG_HOME: '/nonexistent' },
      cwd: '/nonexistent',
      stdin: typist ?? stdin,
      stdout,
      stderr,
    };
    const url = ['--url', `${scheme}://127.0.0.1:${this.port}`, ...(token ? ['--token', token] : [])];
    const code = await runCli([...args, ...url], terminal);
    return { code, stdout: stdout.text, stderr: stderr.text };
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = (message.url ?? '').split('?', 1);
    const text = await textOf(message);
    const request = {
      method: message.method ?? '',
      path: message.url ?? '',
      body: text === '' ? null : JSON.parse(text),
    };
    this.requests.push(request);
    const answers = this.#answers.get(`${message.method} ${path}`);
    const answer = answers && answers.length > 1 ? answers.shift() : answers?.[0];
    if (answer) answer(response, request);
    else answerJson(response, { detail: `${message.method} ${path} is not in the script.` }, 404);
  }
}

export function json(value: unknown, status = 200): Answer {
  return (response) => answerJson(response, value, status);
}

/** Returns a body with every field that the schema requires: null for fields that the test does not set. */
export function whole({ required = [] }: { required?: readonly string[] }, value: object): object {
  return { ...Object.fromEntries(required.map((name) => [name, null])), ...value };
}

export const nothing: Answer = (response) => void response.writeHead(202).end();

/** A run that streams these frames and ends. */
export function run(...frames: Frame[]): Answer {
  return (response) => {
    openRun(response, frames);
    response.end();
  };
}

/** A run that streams these frames and goes on until the test ends it. */
export function openRun(response: ServerResponse, frames: Frame[]): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'content-location': '/api/threads/t1/runs/r1',
  });
  frames.forEach(([event, data], index) => {
    response.write(`event: ${event}\nid: ${index + 1}\ndata: ${JSON.stringify(data)}\n\n`);
  });
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of message.pipe(new PassThrough())) text += String(chunk);
  return text;
}
