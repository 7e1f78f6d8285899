import { randomUUID } from 'node:crypto';
import type { NodeRegistry } from '../nodes/registry.ts';
import type { WorkerLimits } from '../options.ts';
import { isRecord } from '../prompt/graph.ts';
import { PromptError } from '../prompt/prompt-error.ts';
import type { PromptQueue } from '../prompt/prompt-queue.ts';
import { toFloat } from '../prompt/python.ts';
import { validatePrompt } from '../prompt/validate-prompt.ts';
import { type Call, type Route, sendJson } from './call.ts';
import { HttpError, serverTrouble } from './http-error.ts';
import { readJsonBody } from './request-body.ts';

/** Python fails on a graph of this depth with a 500. */
const maxDepth = 200;

export function promptRoutes({
  queue,
  registry,
  limits,
}: {
  queue: PromptQueue;
  registry: NodeRegistry;
  limits: WorkerLimits;
}): Route[] {
  /** Counts every submission, refused ones too, and starts again from 0 with the process. */
  let counter = 0;

  async function submit(call: Call): Promise<void> {
    const body = await readJsonBody(call.request, limits.maxUploadBytes);
    if (!isRecord(body)) throw new HttpError(500, serverTrouble);
    const number = numberOf(body, counter);
    if (!('number' in body)) counter += 1;
    try {
      const accepted = await accept(body, number);
      sendJson(call, accepted);
    } catch (error) {
      if (!(error instanceof PromptError)) throw error;
      sendJson(call, { error: error.fault, node_errors: error.nodeErrors }, error.status);
    }
  }

  async function accept(body: Record<string, unknown>, number: number): Promise<unknown> {
    if (!('prompt' in body))
      throw new PromptError({
        type: 'no_prompt',
        message: 'No prompt provided',
        details: 'No prompt provided',
      });
    if (!isRecord(body.prompt)) throw new HttpError(500, serverTrouble);
    if (isDeeperThan(body, maxDepth)) throw new HttpError(500, serverTrouble);
    checkSize(body.prompt);
    const { graph, outputs, nodeErrors } = await validatePrompt(body.prompt, {
      registry,
      onlyOutputs: targetsOf(body),
    });
    const promptId = 'prompt_id' in body ? String(body.prompt_id) : randomUUID();
    queue.put({ number, promptId, graph, extraData: extraDataOf(body), outputs });
    return { prompt_id: promptId, number, node_errors: nodeErrors };
  }

  /** ComfyUI has neither limit. Each answer names the limit that it met. */
  function checkSize(graph: Record<string, unknown>): void {
    const nodes = Object.keys(graph).length;
    if (nodes > limits.maxGraphNodes)
      throw new PromptError({
        type: 'invalid_prompt',
        message: `The graph has ${nodes} nodes; this worker takes at most ${limits.maxGraphNodes}.`,
        details: '',
      });
    if (queue.pendingCount >= limits.maxQueue)
      throw new PromptError(
        {
          type: 'queue_full',
          message: `${limits.maxQueue} prompts wait already. Try again later.`,
          details: '',
        },
        { status: 429 },
      );
  }

  return [
    { method: 'POST', path: '/prompt', handle: submit },
    {
      method: 'GET',
      path: '/prompt',
      handle: (call) => sendJson(call, { exec_info: { queue_remaining: queue.remaining } }),
    },
  ];
}

/** Works without recursion, because it protects the recursive code from deep graphs. */
function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

/** The caller's own number, or the next one. `front` makes it negative, so that the prompt runs before all others. */
function numberOf(body: Record<string, unknown>, counter: number): number {
  if ('number' in body) return toFloat(body.number);
  return body.front ? -counter : counter;
}

function targetsOf({ partial_execution_targets: targets }: Record<string, unknown>): string[] | undefined {
  return Array.isArray(targets) ? targets.map(String) : undefined;
}

function extraDataOf(body: Record<string, unknown>): Record<string, unknown> {
  const extraData = isRecord(body.extra_data) ? body.extra_data : {};
  return 'client_id' in body ? { ...extraData, client_id: body.client_id } : extraData;
}
