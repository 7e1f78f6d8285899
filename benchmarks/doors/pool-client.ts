import { Agent } from 'node:http';
import { WebSocket } from 'ws';
import type { Workflow } from '../graphs/workflows.ts';
import { httpCall } from '../http-call.ts';

// biome-ignore lint/suspicious/noExplicitAny: each kind of client reads the answers that it knows
type Answer = any;

/** A client with a socket and one prompt at a time: what it sends, how it hears of the end, and what it fetches then. */
export abstract class PoolClient {
  readonly frames: Answer[] = [];
  protected readonly url: string;
  protected readonly token: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4 });
  #socket: WebSocket | null = null;
  readonly #ends = new Map<string, Answer>();
  #wake: () => void = () => undefined;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  protected abstract readonly socketPath: string;
  /** Returns the id of what was sent. */
  abstract send(workflow: Workflow): Promise<string>;
  /** Returns the id of what has ended with this frame, or null. */
  protected abstract endOf(frame: Answer): string | null;
  /** What a client reads after the end, with the file that was made. */
  abstract fetchResult(id: string): Promise<void>;

  async open(): Promise<void> {
    const address = new URL(this.socketPath, this.url);
    address.protocol = 'ws:';
    const headers = { authorization: `Bearer ${this.token}` };
    const socket = new WebSocket(address, { headers, perMessageDeflate: false });
    this.#socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) this.#read(JSON.parse(data.toString()));
    });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  }

  async run(workflow: Workflow): Promise<string> {
    const id = await this.send(workflow);
    while (!this.#ends.delete(id)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    await this.fetchResult(id);
    return id;
  }

  async call(method: string, path: string, body?: object): Promise<Buffer> {
    return httpCall(this.#agent, {
      method,
      url: new URL(path, this.url),
      headers: { authorization: `Bearer ${this.token}` },
      body: body && JSON.stringify(body),
    });
  }

  protected async json(method: string, path: string, body?: object): Promise<Answer> {
    return JSON.parse((await this.call(method, path, body)).toString());
  }

  close(): void {
    this.#socket?.terminate();
    this.#agent.destroy();
  }

  #read(frame: Answer): void {
    this.frames.push(frame);
    const id = this.endOf(frame);
    if (id === null) return;
    this.#ends.set(id, frame);
    this.#wake();
  }
}

/** A client of the gateway's own interface. */
export class TaskClient extends PoolClient {
  protected readonly socketPath = '/ws';

  async send(workflow: Workflow): Promise<string> {
    return (await this.json('POST', '/api/tasks', { workflow, params: {} })).data.id;
  }

  protected endOf({ type, data }: Answer): string | null {
    return type === 'task_completed' || type === 'task_failed' ? data.taskId : null;
  }

  async fetchResult(id: string): Promise<void> {
    await this.call('GET', await this.fileOf(id));
  }

  async fileOf(id: string): Promise<string> {
    const { data } = await this.json('GET', `/api/tasks/${id}`);
    return data.result.outputs[0].url;
  }
}

/** A client of one ComfyUI, as the npm packages work: socket, prompt, the last frame, history, file. */
export class ComfyuiClient extends PoolClient {
  readonly clientId: string;
  protected readonly socketPath: string;

  constructor(url: string, token: string, clientId: string) {
    super(url, token);
    this.clientId = clientId;
    this.socketPath = `/comfy/ws?clientId=${clientId}`;
  }

  async send(workflow: Workflow): Promise<string> {
    const body = { prompt: workflow, client_id: this.clientId };
    return (await this.json('POST', '/comfy/prompt', body)).prompt_id;
  }

  protected endOf({ type, data }: Answer): string | null {
    return type === 'executing' && data.node === null ? data.prompt_id : null;
  }

  async fetchResult(id: string): Promise<void> {
    await this.call('GET', await this.fileOf(id));
  }

  async fileOf(id: string): Promise<string> {
    const { [id]: entry } = await this.json('GET', `/comfy/history/${id}`);
    const [output] = Object.values(entry.outputs) as { images: Record<string, string>[] }[];
    return `/comfy/view?${new URLSearchParams(output?.images[0])}`;
  }
}
