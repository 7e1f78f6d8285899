import { isRecord } from '@switchyard/contract/is-record';
import type { ExternalCall } from '../../agents/tools/external-tool.ts';
import { ToolFailure } from '../../agents/tools/tool-failure.ts';
import { sleepWithSignal } from '../../lib/async/sleep-with-signal.ts';

type Json = Record<string, unknown>;

export interface FollowedTask {
  taskId: string;
  /** Asks the server. Rejects when it cannot be reached, or refuses. */
  request: (method: string, params: Json) => Promise<Json>;
  /** True for an error after which another attempt may reach the server. */
  isPassing: (error: unknown) => boolean;
  call: ExternalCall;
  /** The number of its questions that a human has answered. */
  answers: number;
  noteAnswer: (answers: number) => Promise<void>;
}

/** A server that names no time is asked so often, and none more often or less often than these. */
const usualPollMs = 1_000;
const minPollMs = 250;
const maxPollMs = 30_000;
/** A server that cannot be reached is tried so many times in a row, for about ten minutes. */
const maxFailures = 24;

/** Follows a task on another server to its end. Returns the result of the call, and throws when the task has failed. */
export async function followTask(task: FollowedTask): Promise<Json> {
  const { call, isPassing } = task;
  // Each question that was answered is passed again, so that its answer is not taken for that to a new one.
  for (let passed = 0; passed < task.answers; passed += 1) call.ask({ message: '', fields: {} });
  const look = looksAt(task);
  for (let failures = 0; ; ) {
    try {
      const { pauseMs, result } = await look();
      if (result) return result;
      failures = 0;
      await sleepWithSignal(pauseMs, call);
    } catch (error) {
      failures += 1;
      if (!isPassing(error) || failures > maxFailures) throw error;
      await sleepWithSignal(Math.min(usualPollMs * 2 ** failures, maxPollMs), call);
    }
  }
}

/** Returns a function that looks at the task once and answers what it asks. */
function looksAt({ taskId, request, call, noteAnswer, ...task }: FollowedTask) {
  // A server may repeat a question until it has read the answer.
  const answered = new Set<string>();
  let { answers } = task;
  let told = '';
  return async (): Promise<{ pauseMs: number; result?: Json }> => {
    const state = await request('tasks/get', { taskId });
    const message = typeof state.statusMessage === 'string' ? state.statusMessage.slice(0, 500) : null;
    const progress = { status: String(state.status), message };
    if (JSON.stringify(progress) !== told) call.tell(progress);
    told = JSON.stringify(progress);
    if (state.status === 'input_required') {
      for (const [key, response] of answersTo(openQuestions(state.inputRequests, answered), call)) {
        answers += 1;
        await noteAnswer(answers);
        answered.add(key);
        await request('tasks/update', { taskId, inputResponses: { [key]: response } });
      }
    }
    const pauseMs = pauseOf(state.pollIntervalMs);
    return { pauseMs, ...(isOver(state) && { result: resultIn(state) }) };
  };
}

/** Questions under other keys than these. */
export function openQuestions(requests: unknown, keys: ReadonlySet<string> = new Set()): Json {
  return Object.fromEntries(
    Object.entries(isRecord(requests) ? requests : {}).filter(([key]) => !keys.has(key)),
  );
}

function isOver({ status }: Json): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

function resultIn({ status, result, error }: Json): Json {
  if (status === 'completed') return isRecord(result) ? result : {};
  if (status === 'cancelled') throw new ToolFailure('mcp_tool_failed', 'The server has cancelled the task.');
  const reason = isRecord(error) && typeof error.message === 'string' ? error.message.slice(0, 2_000) : '';
  throw new ToolFailure('mcp_tool_failed', reason || 'The task has failed, and the server gave no reason.');
}

/** Asks a human all that a server wants to know. Each answer is taken before the next question is asked. */
export function* answersTo(requests: Json, call: Pick<ExternalCall, 'ask'>): Generator<[string, Json]> {
  for (const [key, request] of Object.entries(requests)) {
    const { method, params } = isRecord(request) ? request : {};
    if (method !== 'elicitation/create' || !isRecord(params)) throw notGiven(method);
    const fields = fieldsOf(params.requestedSchema);
    const content = call.ask({ message: String(params.message ?? ''), fields });
    yield [key, content === null ? { action: 'decline' } : { action: 'accept', content }];
  }
}

function notGiven(method: unknown): ToolFailure {
  const asked = String(method).slice(0, 100);
  return new ToolFailure('mcp_tool_failed', `The server asks for ${asked}, which the gateway does not give.`);
}

/** A value for each field of the form, which the human may change. */
function fieldsOf(schema: unknown): Json {
  const properties = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, isRecord(field) ? suggestedFor(field) : '']),
  );
}

function suggestedFor({ default: usual, enum: choices, type }: Json): unknown {
  if (usual !== undefined) return usual;
  if (Array.isArray(choices)) return choices[0];
  if (type === 'boolean') return false;
  return type === 'number' || type === 'integer' ? 0 : '';
}

function pauseOf(asked: unknown): number {
  return typeof asked === 'number' ? Math.min(Math.max(asked, minPollMs), maxPollMs) : usualPollMs;
}
