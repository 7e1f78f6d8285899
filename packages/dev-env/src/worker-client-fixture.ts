import { randomUUID } from 'node:crypto';
import { ComfyuiClient } from '@switchyard/server/dispatch/worker-client/comfyui/comfyui-client';
import type { WorkerEvent } from '@switchyard/server/dispatch/worker-client/worker-event';

type ClientOptions = ConstructorParameters<typeof ComfyuiClient>[0];

/** The events of a worker client, kept in order, with a wait for the first one that matches. */
export class HeardEvents {
  readonly all: WorkerEvent[] = [];
  readonly #waiting = new Set<() => void>();

  readonly listen = (event: WorkerEvent): void => {
    this.all.push(event);
    for (const check of this.#waiting) check();
  };

  /**
   * The first event of the type (and of the run), received already or still to come. The test's time limit ends the
   * wait.
   */
  async next<Type extends WorkerEvent['type']>(
    type: Type,
    promptId?: string,
  ): Promise<Extract<WorkerEvent, { type: Type }>> {
    return new Promise((resolve) => {
      const check = (): void => {
        const found = this.all.find(
          (event): event is Extract<WorkerEvent, { type: Type }> =>
            event.type === type &&
            (promptId === undefined || ('promptId' in event && event.promptId === promptId)),
        );
        if (!found) return;
        this.#waiting.delete(check);
        resolve(found);
      };
      this.#waiting.add(check);
      check();
    });
  }

  /** The types of a run's events in order. */
  of(promptId: string): string[] {
    return this.all.flatMap((event) =>
      'promptId' in event && event.promptId === promptId ? [event.type] : [],
    );
  }

  forget(): void {
    this.all.length = 0;
  }
}

export interface ConnectedClient {
  client: ComfyuiClient;
  heard: HeardEvents;
  /** Submits a graph under a fresh id. */
  submit: (graph: Record<string, { class_type: string }>) => Promise<{
    promptId: string;
    outcome: Awaited<ReturnType<ComfyuiClient['submit']>>;
  }>;
}

/** A client with its socket open. */
export async function connectClient(
  port: number,
  options: Partial<Omit<ClientOptions, 'onEvent'>> = {},
): Promise<ConnectedClient> {
  const connected = newClient(port, options);
  connected.client.open();
  await connected.heard.next('socket_opened');
  return connected;
}

export function newClient(
  port: number,
  options: Partial<Omit<ClientOptions, 'onEvent'>> = {},
): ConnectedClient {
  const heard = new HeardEvents();
  const client = new ComfyuiClient({
    address: { host: '127.0.0.1', port, basePath: '', tls: false, headers: {} },
    clientId: 'gateway',
    ...options,
    onEvent: heard.listen,
  });
  const submit: ConnectedClient['submit'] = async (graph) => {
    const promptId = randomUUID();
    const classOf = (nodeId: string) => graph[nodeId]?.class_type;
    return {
      promptId,
      outcome: await client.submit({ promptId, graphJson: JSON.stringify(graph), classOf }),
    };
  };
  return { client, heard, submit };
}
