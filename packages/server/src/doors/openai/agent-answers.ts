import type { RunCreate } from '@switchyard/contract/conversation/run';
import { isRecord } from '@switchyard/contract/is-record';
import { leadAgentName } from '../../agents/agent-ids.ts';
import type { Agents } from '../../agents/loading/agents.ts';
import { titleOfQuestion } from '../../agents/message-text.ts';
import { additionsOf } from '../../agents/run-events/message-blocks.ts';
import { answerOf, answerTexts, decisionText, resumeOf } from '../../channels/channel-answer.ts';
import type { ModelConfig } from '../../config/models.ts';
import type { RunCaller } from '../../conversation/runs/intake/run-intake.ts';
import { failureOf } from '../../conversation/runs/records/run.ts';
import type { RunResult, Runs } from '../../conversation/runs/runs.ts';
import type { RunRow, ThreadRow } from '../../conversation/tables.ts';
import type { ThreadAccess } from '../../conversation/threads/thread-access.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Log } from '../../lib/log.ts';
import type { Owner } from '../../lib/owner.ts';
import { dataOf } from '../../platform/stream-log/stream-frame.ts';
import { StreamBroken, type StreamLog } from '../../platform/stream-log/stream-log.ts';
import {
  type AnswerPart,
  type AnswerRequest,
  type AnswerUsage,
  type StartedAnswer,
  textOf,
} from './answer.ts';
import { hasPictures, noVision } from './input-pictures.ts';
import { invalid, modelNotFound, OpenaiRefusal, unsupported } from './openai-errors.ts';

type Json = Record<string, unknown>;

/** The part of a tool's result that is shown. */
const maxResultLength = 300;

/** Answers of agents: each is a run, like those that are started on `/api`. */
export class AgentAnswers {
  readonly #options;

  constructor(options: {
    runs: Pick<Runs, 'start' | 'newest' | 'valuesOf' | 'cancelIfOpen'>;
    agents: Pick<Agents, 'resolve'>;
    models: readonly Pick<ModelConfig, 'supports_vision'>[];
    access: Pick<ThreadAccess, 'requireRecord'>;
    streamLog: Pick<StreamLog, 'read'>;
    /** True when tools show as reasoning. */
    showsTools: boolean;
    log: Pick<Log, 'warn'>;
  }) {
    this.#options = options;
  }

  async start(caller: RunCaller, request: AnswerRequest): Promise<StartedAnswer> {
    refuseModelOptions(request);
    const { runs, streamLog, showsTools, log } = this.#options;
    const { threadId, isKept } = request;
    const owner: Owner = { user: caller.userId };
    const isLead = await this.#isLeadAgent(owner, request);
    const body: RunCreate = {
      assistant_id: request.model,
      stream_mode: ['messages-tuple'],
      ...(threadId === null
        ? { input: inputOf(request, { isLead }), on_completion: isKept ? 'keep' : 'delete' }
        : await this.#goOn(owner, threadId, request)),
      on_disconnect: isKept ? 'continue' : 'cancel',
    };
    const started = await runs.start(caller, threadId, body, { claim: true, expect: true });
    const { run } = started;
    return {
      id: run.run_id,
      parts: (signal) => {
        const result = started.result(signal);
        // It is awaited at the end of the frames; when the client goes before that, it rejects and no one needs it.
        result.catch(() => undefined);
        return partsOf({ streamLog, run, result, showsTools, isKept, signal });
      },
      close: ({ isComplete }) => {
        if (isComplete || isKept) return;
        const name = { threadId: null, runId: run.run_id };
        runs.cancelIfOpen(owner, name, 'interrupt').catch((error: unknown) => {
          // A run that has ended is gone with its thread.
          if (error instanceof AppError && /_not_found$/.test(error.code)) return;
          log.warn(
            { err: error, runId: run.run_id },
            'A run could not be cancelled for a client that has gone',
          );
        });
      },
    };
  }

  async #isLeadAgent(owner: Owner, { model, messages }: AnswerRequest): Promise<boolean> {
    const { agents, models } = this.#options;
    const { graphId } = await agents.resolve(owner, model).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'assistant_not_found')
        throw modelNotFound(model, error);
      throw error;
    });
    if (graphId !== leadAgentName) return false;
    if (hasPictures(messages) && !models.some((each) => each.supports_vision))
      throw unsupported('messages', noVision(model));
    return true;
  }

  /** The thread has what was said before. A thread that waits for an answer gets it. */
  async #goOn(
    owner: Owner,
    threadId: string,
    { messages, fields }: AnswerRequest,
  ): Promise<Pick<RunCreate, 'input' | 'command'>> {
    const thread = await this.#options.access.requireRecord(owner, threadId);
    const last = messages.findLastIndex(({ role }) => role === 'assistant');
    const fresh = messages.slice(last + 1).filter(({ role }) => role === 'user');
    const newest = fresh.at(-1);
    if (!newest) throw invalid('messages', `With ${fields.thread} the last message is one of the user.`);
    const questions = await this.#questions(owner, thread);
    if (questions.length === 0) return { input: { messages: fresh } };
    const resume = resumeOf(questions, textOf(newest));
    if (resume === null)
      throw new OpenaiRefusal('decision_needed', {
        param: 'messages',
        message: `The agent waits for a decision. ${decisionText}`,
      });
    return { command: { resume } };
  }

  async #questions(owner: Owner, { thread_id: threadId, status }: ThreadRow) {
    if (status !== 'interrupted') return [];
    const run = await this.#options.runs.newest(owner, threadId);
    return run ? answerOf(await this.#options.runs.valuesOf(run), []).questions : [];
  }
}

/** A thread that goes with its run needs no title, for which a model would be asked once more. */
function inputOf({ messages, isKept }: AnswerRequest, { isLead }: { isLead: boolean }): Json {
  if (!isLead || isKept) return { messages };
  const question = messages.find(({ role }) => role === 'user');
  return { messages, title: titleOfQuestion(question ? textOf(question) : '') };
}

/** An agent has tools, a format and settings of its own. Sampling options are sent by clients unasked, so they have no effect. */
function refuseModelOptions({ model, tools, responseFormat, fields }: AnswerRequest): void {
  const plain = 'Ask a plain model (model/<name> of GET /v1/models) for that.';
  if (tools.length > 0)
    throw unsupported(fields.tools, `${model} is an agent and uses tools of its own here. ${plain}`);
  if (responseFormat !== null)
    throw unsupported(fields.responseFormat, `${model} is an agent and answers in text. ${plain}`);
}

async function* partsOf(answer: {
  streamLog: Pick<StreamLog, 'read'>;
  run: RunRow;
  result: Promise<RunResult>;
  showsTools: boolean;
  isKept: boolean;
  signal: AbortSignal;
}): AsyncGenerator<AnswerPart, void, undefined> {
  const { streamLog, run, result, showsTools, isKept, signal } = answer;
  const spoken = new SpokenText(showsTools);
  for await (const part of streamLog.read(run.run_id, { after: 0, signal })) {
    if (part.type === 'gap') throw new StreamBroken('overtaken');
    for (const frame of part.frames)
      if (frame.event === 'messages') yield* spoken.read(JSON.parse(dataOf(frame)));
  }
  if (signal.aborted) return;
  const ended = await result;
  requireSuccess(ended.run);
  yield* spoken.rest(ended.values, { isKept });
  yield { type: 'end', reason: 'stop', usage: usageOf(ended.run) };
}

function requireSuccess(run: RunRow): void {
  const failure = failureOf(run);
  if (failure) {
    const message = run.status === 'timeout' ? answerTexts.timeout : `The agent failed: ${failure.message}`;
    throw new OpenaiRefusal(run.status === 'timeout' ? 'run_timeout' : 'run_failed', {
      status: 500,
      message,
    });
  }
  if (run.status === 'interrupted')
    throw new OpenaiRefusal('run_cancelled', { status: 409, message: 'The run was cancelled.' });
}

function usageOf({
  total_input_tokens: input,
  total_output_tokens: output,
  token_usage_by_model,
}: RunRow): AnswerUsage {
  const models = Object.values(
    JSON.parse(token_usage_by_model) as Record<string, { cache_read_tokens?: number }>,
  );
  const cached = models.reduce((sum, { cache_read_tokens = 0 }) => sum + cache_read_tokens, 0);
  return { input, output, cached };
}

/** Turns the messages of a run into one answer. */
class SpokenText {
  readonly #showsTools: boolean;
  readonly #pictures = new Map<string, string>();
  #messageId: unknown;
  #text = '';

  constructor(showsTools: boolean) {
    this.#showsTools = showsTools;
  }

  /** A piece of a message, or a whole one. Titles, summaries and messages of sub-agents are not part of the answer. */
  *read([message, metadata]: [Json, { tags?: unknown } | undefined]): Generator<AnswerPart> {
    if (message.type === 'tool') return yield* this.#toolResult(message);
    const isAnswer = message.type === 'AIMessageChunk' || message.type === 'ai';
    if (!isAnswer || isInner(metadata?.tags)) return;
    for (const addition of additionsOf(message)) {
      if (addition.kind === 'text') yield* this.#say(addition.text, message.id);
      else if (addition.kind === 'reasoning') yield { type: 'reasoning', text: addition.text };
      else if (addition.kind === 'call' && addition.name !== null && this.#showsTools)
        yield { type: 'reasoning', text: `\nUses ${addition.name}.\n` };
    }
  }

  /** What the stream did not have: the words of a graph without a model, open questions, and links to pictures. */
  *rest(values: Json, { isKept }: { isKept: boolean }): Generator<AnswerPart> {
    const { text, questions } = answerOf(values, []);
    const asked = questions.map(({ text: question }) => question).join('\n\n');
    const missing = this.#text.trim() === '' ? text : asked;
    if (missing !== '' && missing !== answerTexts.empty) yield* this.#say(missing, 'rest');
    if (questions.length > 0 && !isKept) yield* this.#say(unanswerable, 'unanswerable');
    for (const [url, name] of this.#pictures)
      if (!showsPicture(this.#text, url)) yield* this.#say(`![${name.replace(/[[\]\\]/g, '')}](${url})`, url);
  }

  *#say(text: string, messageId: unknown): Generator<AnswerPart> {
    const isNext = this.#text !== '' && messageId !== this.#messageId;
    this.#messageId = messageId;
    const said = isNext ? `\n\n${text}` : text;
    this.#text += said;
    yield { type: 'text', text: said };
  }

  *#toolResult({ name, content, id }: Json): Generator<AnswerPart> {
    const text = typeof content === 'string' ? content : JSON.stringify(content ?? '');
    // Its result is what the agent says to the user.
    if (name === 'ask_clarification') return yield* this.#say(text, id);
    for (const { url, filename } of picturesIn(text)) this.#pictures.set(url, filename);
    if (!this.#showsTools) return;
    const shown = text.length > maxResultLength ? `${text.slice(0, maxResultLength)}…` : text;
    yield { type: 'reasoning', text: `${String(name)}: ${shown}\n` };
  }
}

const unanswerable =
  'This conversation has no thread, so the question stays open. Put the answer into your next request with metadata.thread_id of a thread.';

/** Returns whether the text has the picture itself, and not only a link to it. */
function showsPicture(text: string, url: string): boolean {
  const end = text.indexOf(`](${url})`);
  return end > 0 && text[text.lastIndexOf('[', end) - 1] === '!';
}

function isInner(tags: unknown): boolean {
  return (
    Array.isArray(tags) && tags.some((tag) => typeof tag === 'string' && /^(middleware|subagent):/.test(tag))
  );
}

/** Returns the pictures that a tool of the pool has made. Their links open without credentials for a day. */
function picturesIn(text: string): { url: string; filename: string }[] {
  if (!text.startsWith('{')) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const files = isRecord(value) && Array.isArray(value.files) ? value.files.filter(isRecord) : [];
  return files.flatMap(({ url, filename, content_type: type }) =>
    typeof url === 'string' && typeof filename === 'string' && String(type).startsWith('image/')
      ? [{ url, filename }]
      : [],
  );
}
