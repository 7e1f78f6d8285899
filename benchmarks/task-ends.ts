import type { ServerFrame } from '@switchyard/contract/dispatch/push';
import { WebSocket } from 'ws';

/** A client that learns by push how tasks end, as a browser does: it receives everything that its user may see. */
export class TaskEnds {
  readonly #socket: WebSocket;
  readonly #ended = new Map<string, number>();
  #wanted = 0;
  #reached: () => void = () => undefined;
  #broken: (error: Error) => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) this.#read(JSON.parse(data.toString()) as ServerFrame);
    });
    socket.on('close', (code) => this.#broken(new Error(`The gateway closed the socket with ${code}.`)));
  }

  static async open(url: string, token: string): Promise<TaskEnds> {
    const address = new URL('/ws', url);
    address.protocol = 'ws:';
    const socket = new WebSocket(address, ['bearer', token], { perMessageDeflate: false });
    const ends = new TaskEnds(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return ends;
  }

  get count(): number {
    return this.#ended.size;
  }

  /** When it heard of the end of this task, by `performance.now()`. */
  endedAt(taskId: string): number | undefined {
    return this.#ended.get(taskId);
  }

  /** Resolves when this number of different tasks have ended since the socket was opened. */
  until(count: number): Promise<void> {
    if (this.#ended.size >= count) return Promise.resolve();
    this.#wanted = count;
    return new Promise((resolve, reject) => {
      this.#reached = resolve;
      this.#broken = reject;
    });
  }

  close(): void {
    this.#broken = () => undefined;
    this.#socket.terminate();
  }

  #read(frame: ServerFrame): void {
    if (frame.type !== 'task_completed' && frame.type !== 'task_failed') return;
    if (!this.#ended.has(frame.data.taskId)) this.#ended.set(frame.data.taskId, performance.now());
    if (this.#ended.size === this.#wanted) this.#reached();
  }
}
