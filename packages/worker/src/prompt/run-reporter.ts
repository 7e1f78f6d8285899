import type { Preview } from '../nodes/node-class.ts';
import type { ClientSockets } from '../socket/client-sockets.ts';
import { textFrame } from '../socket/frames.ts';
import type { HistoryEntry } from './history.ts';

/**
 * The minimum time between two preview pictures. Without it, many small steps would spend more on previews than on the
 * work.
 */
const previewGapMs = 250;

/**
 * All messages of a prompt, in ComfyUI's order. For a prompt without a client id, `execution_*`, `executing` and
 * `executed` are not sent, while progress, progress_state, previews and the interruption go to all clients.
 */
export class RunReporter {
  /** Kept for history: the `execution_*` messages. */
  readonly messages: HistoryEntry['status']['messages'] = [];
  readonly #promptId: string;
  readonly #clientId: string | undefined;
  readonly #sockets: ClientSockets;
  readonly #progress: RunProgress;
  #lastPreviewAt = Number.NEGATIVE_INFINITY;

  constructor(run: { promptId: string; clientId: string | undefined }, sockets: ClientSockets) {
    this.#promptId = run.promptId;
    this.#clientId = run.clientId;
    this.#sockets = sockets;
    this.#progress = new RunProgress(run.promptId);
  }

  announce(event: string, data: Record<string, unknown>): void {
    const message = { prompt_id: this.#promptId, ...data, timestamp: Date.now() };
    this.messages.push([event, message]);
    if (this.#clientId !== undefined || event === 'execution_interrupted')
      this.#sockets.send(event, message, this.#clientId);
  }

  starting(nodeId: string): void {
    this.#progress.start(nodeId);
    this.#sendProgressState();
    this.#tell('executing', { node: nodeId, display_node: nodeId });
  }

  shown(nodeId: string, output: unknown): void {
    this.#tell('executed', { node: nodeId, display_node: nodeId, output });
  }

  finished(nodeId: string): void {
    this.#progress.finish(nodeId);
    this.#sendProgressState();
  }

  ticked(nodeId: string, value: number, max: number): void {
    this.#progress.update(nodeId, value, max);
    this.#sockets.send('progress', { value, max, prompt_id: this.#promptId, node: nodeId }, this.#clientId);
    this.#sendProgressState();
  }

  text(nodeId: string, text: string): void {
    this.#sockets.sendBinary(textFrame(nodeId, text), this.#clientId);
  }

  preview(nodeId: string, preview: Preview): void {
    this.#sockets.sendPreview(
      preview,
      {
        node_id: nodeId,
        prompt_id: this.#promptId,
        display_node_id: nodeId,
        parent_node_id: null,
        real_node_id: nodeId,
      },
      this.#clientId,
    );
  }

  /** Makes the picture only when a client can see it and the last one is some time ago. */
  async previewIfDue(nodeId: string, make: () => Promise<Preview>): Promise<void> {
    const now = performance.now();
    if (now - this.#lastPreviewAt < previewGapMs || !this.#sockets.hasListener(this.#clientId)) return;
    this.#lastPreviewAt = now;
    this.preview(nodeId, await make());
  }

  #tell(event: string, data: Record<string, unknown>): void {
    if (this.#clientId !== undefined)
      this.#sockets.send(event, { ...data, prompt_id: this.#promptId }, this.#clientId);
  }

  #sendProgressState(): void {
    if (this.#sockets.hasListener(this.#clientId))
      this.#sockets.sendText(this.#progress.frame(), this.#clientId);
  }
}

/**
 * The progress of each node of one prompt. Each frame lists all nodes that have started, so a prompt of n nodes sends
 * about n² entries; unchanged entries are kept as text.
 */
class RunProgress {
  readonly #promptId: string;
  readonly #maxima = new Map<string, number>();
  readonly #texts = new Map<string, string>();

  constructor(promptId: string) {
    this.#promptId = promptId;
  }

  start(nodeId: string): void {
    this.#set(nodeId, { value: 0, max: 1, state: 'running' });
  }

  update(nodeId: string, value: number, max: number): void {
    this.#set(nodeId, { value, max, state: 'running' });
  }

  finish(nodeId: string): void {
    const max = this.#maxima.get(nodeId) ?? 1;
    this.#set(nodeId, { value: max, max, state: 'finished' });
  }

  /** The `progress_state` frame as JSON. */
  frame(): string {
    const promptId = JSON.stringify(this.#promptId);
    const nodes = [...this.#texts.values()].join(',');
    return `{"type":"progress_state","data":{"prompt_id":${promptId},"nodes":{${nodes}}}}`;
  }

  #set(nodeId: string, progress: { value: number; max: number; state: 'running' | 'finished' }): void {
    const entry = {
      ...progress,
      node_id: nodeId,
      prompt_id: this.#promptId,
      display_node_id: nodeId,
      parent_node_id: null,
      real_node_id: nodeId,
    };
    this.#maxima.set(nodeId, progress.max);
    this.#texts.set(nodeId, `${JSON.stringify(nodeId)}:${JSON.stringify(entry)}`);
  }
}
