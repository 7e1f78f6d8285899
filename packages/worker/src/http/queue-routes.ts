import type { CollectedOutputs } from '../prompt/collected-outputs.ts';
import { isRecord } from '../prompt/graph.ts';
import type { History } from '../prompt/history.ts';
import type { Interrupt } from '../prompt/interrupt.ts';
import type { PromptQueue } from '../prompt/prompt-queue.ts';
import { toInt } from '../prompt/python.ts';
import { type Call, type Route, sendEmpty, sendJson } from './call.ts';
import { HttpError, serverTrouble } from './http-error.ts';
import { readJsonBody } from './request-body.ts';

export function queueRoutes({
  queue,
  history,
  interrupt,
  collected,
  freeMemory,
  maxBytes,
}: {
  queue: PromptQueue;
  history: History;
  interrupt: Interrupt;
  collected: Pick<CollectedOutputs, 'discard'>;
  freeMemory: () => void;
  maxBytes: number;
}): Route[] {
  async function change(
    call: Call,
    target: { clear: () => void; delete: (id: string) => void },
  ): Promise<void> {
    const body = await readRecord(call, maxBytes);
    if (body.clear) target.clear();
    if ('delete' in body) {
      if (!Array.isArray(body.delete)) throw new HttpError(500, serverTrouble);
      for (const id of body.delete) target.delete(String(id));
    }
    sendEmpty(call);
  }

  /**
   * With an id it interrupts only that prompt; without one it interrupts the running prompt. Answers 200 in both cases.
   */
  async function requestInterrupt(call: Call): Promise<void> {
    const body = await readRecord(call, maxBytes).catch((error: unknown) => {
      if (error instanceof SyntaxError) return {} as Record<string, unknown>;
      throw error;
    });
    const { prompt_id: promptId } = body;
    if (!promptId || queue.isRunning(String(promptId))) interrupt.request();
    sendEmpty(call);
  }

  async function free(call: Call): Promise<void> {
    const body = await readRecord(call, maxBytes);
    if (body.free_memory || body.unload_models) freeMemory();
    sendEmpty(call);
  }

  return [
    { method: 'GET', path: '/queue', handle: (call) => sendJson(call, queue.snapshot()) },
    { method: 'POST', path: '/queue', handle: (call) => change(call, queue) },
    { method: 'GET', path: '/history', handle: (call) => sendJson(call, history.list(pageOf(call.query))) },
    { method: 'POST', path: '/history', handle: (call) => change(call, history) },
    {
      method: 'GET',
      path: '/history/:promptId',
      handle: (call) => sendJson(call, history.get(call.params.promptId ?? '')),
    },
    {
      method: 'DELETE',
      path: '/outputs/:promptId',
      handle: async (call) => {
        await collected.discard(call.params.promptId ?? '');
        sendEmpty(call);
      },
    },
    { method: 'POST', path: '/interrupt', handle: requestInterrupt },
    { method: 'POST', path: '/free', handle: free },
  ];
}

/** A number that cannot be read is a 500, as in ComfyUI. */
function pageOf(query: URLSearchParams): { maxItems: number | undefined; offset: number | undefined } {
  const read = (name: string) => {
    const text = query.get(name);
    return text === null ? undefined : toInt(text);
  };
  return { maxItems: read('max_items'), offset: read('offset') };
}

async function readRecord({ request }: Call, maxBytes: number): Promise<Record<string, unknown>> {
  const body = await readJsonBody(request, maxBytes);
  if (!isRecord(body)) throw new HttpError(500, serverTrouble);
  return body;
}
