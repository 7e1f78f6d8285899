import { WebSocket } from 'ws';

export interface Memory {
  heapMb: number;
  residentMb: number;
}

export interface CollectedMemory extends Memory {
  /** What the engine's objects hold outside the heap, such as buffers. */
  externalMb: number;
}

/**
 * The debugger of a process that was started with `--inspect=127.0.0.1:0`: the only way to collect its garbage from
 * outside without code of its own for it.
 */
export class Inspector {
  readonly #socket: WebSocket;
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** Node prints the address when it starts. */
  static async open(output: string): Promise<Inspector> {
    const [, address] = /Debugger listening on (ws:\S+)/.exec(output) ?? [];
    if (!address) throw new Error(`The process does not listen for a debugger:\n${output}`);
    const socket = new WebSocket(address);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return new Inspector(socket);
  }

  /** The heap after two full collections, because the first one only frees what finalizers hold. */
  async memoryAfterCollection(): Promise<CollectedMemory> {
    await this.#call('HeapProfiler.collectGarbage');
    await this.#call('HeapProfiler.collectGarbage');
    const { result } = await this.#call<{ result: { value: string } }>('Runtime.evaluate', {
      expression: 'JSON.stringify(process.memoryUsage())',
    });
    const { heapUsed, external, rss } = JSON.parse(result.value) as NodeJS.MemoryUsage;
    return { heapMb: heapUsed / 1e6, externalMb: external / 1e6, residentMb: rss / 1e6 };
  }

  close(): void {
    this.#socket.terminate();
  }

  #call<Answer>(method: string, params: object = {}): Promise<Answer> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const read = (data: Buffer): void => {
        const message = JSON.parse(data.toString()) as { id?: number; result: Answer; error?: object };
        if (message.id !== id) return;
        this.#socket.off('message', read);
        if (message.error) reject(new Error(`${method}: ${JSON.stringify(message.error)}`));
        else resolve(message.result);
      };
      this.#socket.on('message', read);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
