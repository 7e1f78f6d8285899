import { createHash } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { answerOf, type Question } from '../../channels/channel-answer.ts';
import type { Assistants } from '../../conversation/catalog/assistants.ts';
import type { RunReasons } from '../../conversation/runs/run-reasons.ts';
import type { Runs } from '../../conversation/runs/runs.ts';
import type { RunRow } from '../../conversation/tables.ts';
import { AppError } from '../../lib/app-error.ts';
import { systemTimer } from '../../lib/async/timer.ts';
import type { Owner } from '../../lib/owner.ts';
import type { McpCaller, McpQuestion, McpWork, McpWorks } from './mcp-work.ts';

/** An agent's work is named by its first run. Ids of tasks have no such beginning. */
const prefix = 'run_';
/** The key in the metadata of a run that answers a question, with the id of the first run. */
const answersKey = 'mcp_answers';
const maxAgents = 50;
const maxTextLength = 100_000;
/** The interval at which a follower is told why a run still waits. */
const lookAgainMs = 5_000;
/** A run that is to be cancelled must not begin before that. */
const neverSeconds = 86_400;

export interface McpAgent {
  id: string;
  name: string;
  description: string;
}

interface Chain {
  first: RunRow;
  last: RunRow;
}

/** Runs of agents. A run that answers a question belongs to the work of the run that asked it. */
export class AgentWorks implements McpWorks {
  readonly #options;

  constructor(options: {
    runs: Pick<Runs, 'start' | 'look' | 'latest' | 'cancelIfOpen' | 'result' | 'valuesOf'>;
    assistants: Pick<Assistants, 'search'>;
    runReasons: Pick<RunReasons, 'why'>;
  }) {
    this.#options = options;
  }

  static owns(id: string): boolean {
    return id.startsWith(prefix);
  }

  async agents({ userId }: McpCaller): Promise<McpAgent[]> {
    const { page } = await this.#options.assistants.search({ user: userId }, { limit: maxAgents });
    return page.map(({ assistant_id: id = '', name = id, description }) => ({
      id,
      name,
      description: description ?? '',
    }));
  }

  /** Returns once the run is on disk. */
  async start(
    caller: McpCaller,
    assistantId: string,
    { input, threadId }: { input: Record<string, unknown>; threadId: string | null },
  ): Promise<McpWork> {
    const body = { assistant_id: assistantId, input };
    const { userId, traceparent } = caller;
    const from = { userId, mount: '/api' as const, ...(traceparent !== null && { traceparent }) };
    const { run } = await this.#options.runs.start(from, threadId, body, { claim: true });
    return this.#workOf(caller, { first: run, last: run });
  }

  async look(caller: McpCaller, id: string): Promise<McpWork> {
    return this.#workOf(caller, await this.#chain(caller, id));
  }

  async cancel(caller: McpCaller, id: string): Promise<void> {
    const { first, last } = await this.#chain(caller, id);
    const owner = ownerOf(caller);
    if (last.ended_at === null) {
      await this.#options.runs.cancelIfOpen(owner, nameOf(last), 'interrupt');
      return;
    }
    // The work waits for an answer: a run in the place of the one that would give it is stopped before it begins.
    if ((await this.#questionsOf(last)).length === 0) return;
    const stopped = await this.#goOn(caller, { first, last }, { resume: null, afterSeconds: neverSeconds });
    await this.#options.runs.cancelIfOpen(owner, { threadId: first.thread_id, runId: stopped }, 'interrupt');
  }

  /** Goes on with the answers to all questions. Answers to questions that were answered before change nothing. */
  async answer(
    caller: McpCaller,
    id: string,
    answers: Readonly<Record<string, string | null>>,
  ): Promise<void> {
    const chain = await this.#chain(caller, id);
    const questions = chain.last.ended_at === null ? [] : await this.#questionsOf(chain.last);
    const asked = questions.map((question, index) => shown(question, chain.last, index));
    if (!asked.some(({ key }) => key in answers)) return;
    const missing = asked.filter(({ key }) => !(key in answers)).map(({ key }) => key);
    if (missing.length > 0)
      throw new AppError('validation_failed', {
        message: `The agent goes on with the answers to all of its questions. Missing: ${missing.join(', ')}.`,
      });
    const values = questions.map(({ id: name, decisions }, index) => ({
      name,
      value: resumeValue(decisions, answers[asked[index]?.key ?? ''] ?? null),
    }));
    const named = values.every(({ name }) => name !== null);
    const resume = named
      ? Object.fromEntries(values.map(({ name, value }) => [name, value]))
      : values[0]?.value;
    await this.#goOn(caller, chain, { resume, afterSeconds: 0 });
  }

  async *follow(caller: McpCaller, id: string, signal: AbortSignal) {
    const { last } = await this.#chain(caller, id);
    const end = this.#options.runs.result(last, signal).then(
      () => true,
      (error: unknown) => {
        if (signal.aborted) return true;
        throw error;
      },
    );
    // A follower that has stopped in between does not wait for it any more.
    end.catch(() => undefined);
    while (!(await endsWithin(end, lookAgainMs))) {
      yield { percent: 0, message: (await this.look(caller, id)).message };
    }
  }

  /** Throws the same for a run that does not exist and for one of another account. */
  async #chain(caller: McpCaller, id: string): Promise<Chain> {
    const owner = ownerOf(caller);
    const runId = id.slice(prefix.length);
    const first = await this.#options.runs.look(owner, { threadId: null, runId });
    if (!first) throw new AppError('task_not_found');
    const runs = await this.#options.runs.latest(owner, first.thread_id);
    const later = runs.filter(({ metadata }) => isAnswerTo(metadata, runId));
    return { first, last: later.at(-1) ?? first };
  }

  async #workOf(caller: McpCaller, { first, last }: Chain): Promise<McpWork> {
    const facts = { id: `${prefix}${first.run_id}`, createdAt: first.created_at, updatedAt: last.updated_at };
    if (last.ended_at === null) {
      const { waiting } = await this.#options.runReasons.why(ownerOf(caller), nameOf(last));
      return { ...facts, status: 'working', message: waiting };
    }
    if (last.status === 'interrupted') return { ...facts, status: 'cancelled', message: 'Stopped.' };
    if (last.status !== 'success') {
      return {
        ...facts,
        status: 'completed',
        message: 'Failed.',
        result: async () => failureOf(facts.id, last),
      };
    }
    const values = await this.#options.runs.valuesOf(last);
    const { questions } = answerOf(values, []);
    if (questions.length > 0) {
      const asked = questions.map((question, index) => shown(question, last, index));
      const message = asked.map((each) => each.message).join('\n');
      return { ...facts, status: 'input_required', message, questions: asked, threadId: last.thread_id };
    }
    const result = async () => resultOf(facts.id, last, values);
    return { ...facts, status: 'completed', message: 'Completed.', result };
  }

  async #questionsOf(run: RunRow): Promise<Question[]> {
    if (run.status !== 'success') return [];
    return answerOf(await this.#options.runs.valuesOf(run), []).questions;
  }

  /** One run follows each question: its id comes from that of the run that asked, so a second answer finds the first one. */
  async #goOn(
    { userId }: McpCaller,
    { first, last }: Chain,
    { resume, afterSeconds }: { resume: unknown; afterSeconds: number },
  ): Promise<string> {
    const runId = idAfter(last.run_id);
    const isThere = async () =>
      (await this.#options.runs.look({ user: userId }, { threadId: last.thread_id, runId })) !== null;
    if (await isThere()) return runId;
    const body = {
      command: { resume },
      metadata: { [answersKey]: first.run_id },
      multitask_strategy: 'reject' as const,
      after_seconds: afterSeconds,
    };
    try {
      const from = { userId, mount: '/api' as const, runId };
      await this.#options.runs.start(from, last.thread_id, body, { claim: afterSeconds === 0 });
    } catch (error) {
      // Another request has answered in the meantime.
      if (!(await isThere())) throw error;
    }
    return runId;
  }
}

function ownerOf({ userId }: McpCaller): Owner {
  return { user: userId };
}

function nameOf({ thread_id: threadId, run_id: runId }: RunRow): { threadId: string; runId: string } {
  return { threadId, runId };
}

function isAnswerTo(metadata: string, runId: string): boolean {
  return (
    metadata.includes(answersKey) && (JSON.parse(metadata) as Record<string, unknown>)[answersKey] === runId
  );
}

function shown({ text, decisions }: Question, run: RunRow, index: number): McpQuestion {
  return { key: `${run.run_id}.${index}`, message: text, isApproval: decisions !== null };
}

/** Null is the answer of a user who gave none. */
function resumeValue(decisions: number | null, answer: string | null): unknown {
  if (decisions === null) return answer ?? 'The user gave no answer.';
  const type = answer === 'approve' ? 'approve' : 'reject';
  return { decisions: Array.from({ length: decisions }, () => ({ type })) };
}

/** A UUID that follows from another one. */
function idAfter(runId: string): string {
  const hex = createHash('sha256').update(`answer to ${runId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

async function endsWithin(end: Promise<boolean>, ms: number): Promise<boolean> {
  let stop: () => void = () => undefined;
  const later = new Promise<boolean>((resolve) => {
    stop = systemTimer(() => resolve(false), ms);
  });
  try {
    return await Promise.race([end, later]);
  } finally {
    stop();
  }
}

function resultOf(taskId: string, run: RunRow, values: Record<string, unknown>): CallToolResult {
  const { text: answered, artifacts } = answerOf(values, []);
  const text = 'messages' in values ? answered : JSON.stringify(values).slice(0, maxTextLength);
  const structuredContent = {
    ...namesOf(taskId, run),
    status: 'completed',
    answer: text,
    artifacts,
    tokens: { input: run.total_input_tokens, output: run.total_output_tokens },
  };
  return { content: [{ type: 'text', text }], structuredContent };
}

function failureOf(taskId: string, run: RunRow): CallToolResult {
  const text = run.error ?? `The run ended as ${run.status}.`;
  const error = { code: run.status, message: text };
  const structuredContent = { ...namesOf(taskId, run), status: 'failed', error };
  return { isError: true, content: [{ type: 'text', text }], structuredContent };
}

function namesOf(taskId: string, { thread_id, run_id }: RunRow) {
  return { task_id: taskId, thread_id, run_id };
}
