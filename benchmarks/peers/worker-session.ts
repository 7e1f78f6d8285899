import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { WebSocket } from 'ws';
import type { Workflow } from '../graphs/workflows.ts';
import { httpCall } from '../http-call.ts';

export interface OutputFile {
  filename: string;
  bytes: Buffer;
}

interface HistoryEntry {
  outputs: Record<string, { images?: { filename: string; subfolder: string; type: string }[] }>;
}

/** One connection to a worker: it posts a prompt, waits for its end by event and reads what came out. Nothing is checked. */
export class WorkerSession {
  readonly #base: string;
  readonly #clientId: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 2 });
  readonly #socket: WebSocket;
  readonly #ended = new Set<string>();
  #wake: () => void = () => undefined;

  private constructor(port: number) {
    this.#base = `http://127.0.0.1:${port}`;
    this.#clientId = `bench-${port}`;
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}/ws?clientId=${this.#clientId}`, {
      perMessageDeflate: false,
    });
    this.#socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary)
        this.#read(JSON.parse(data.toString()) as { type: string; data: { prompt_id?: string } });
    });
  }

  static async open(port: number): Promise<WorkerSession> {
    const session = new WorkerSession(port);
    await new Promise((resolve, reject) => {
      session.#socket.once('open', resolve).once('error', reject);
    });
    return session;
  }

  /** Returns the prompt's id when the worker has said that it has ended. */
  async run(graph: Workflow): Promise<string> {
    const promptId = randomUUID();
    const body = JSON.stringify({ prompt: graph, prompt_id: promptId, client_id: this.#clientId });
    await this.#call('POST', '/prompt', body);
    while (!this.#ended.delete(promptId)) await new Promise<void>((resolve) => (this.#wake = resolve));
    return promptId;
  }

  /** Reads the history of a prompt and downloads the pictures that it names. */
  async outputsOf(promptId: string): Promise<OutputFile[]> {
    const answer = await this.#call('GET', `/history/${promptId}`);
    const history = JSON.parse(answer.toString()) as Record<string, HistoryEntry>;
    const images = Object.values(history[promptId]?.outputs ?? {}).flatMap(({ images = [] }) => images);
    const files: OutputFile[] = [];
    for (const { filename, subfolder, type } of images) {
      const query = new URLSearchParams({ filename, subfolder, type });
      files.push({ filename, bytes: await this.#call('GET', `/view?${query}`) });
    }
    return files;
  }

  close(): void {
    this.#socket.terminate();
    this.#agent.destroy();
  }

  #read({ type, data }: { type: string; data: { prompt_id?: string } }): void {
    if (type !== 'execution_success' || data.prompt_id === undefined) return;
    this.#ended.add(data.prompt_id);
    this.#wake();
  }

  #call(method: string, path: string, body?: string): Promise<Buffer> {
    return httpCall(this.#agent, { method, url: this.#base + path, body });
  }
}
