import {
  manyAnswersParams,
  oneAnswerParams,
  type ProtocolAnswer,
  protocolCommand,
  runStartParams,
  stateParams,
  treeParams,
} from '@switchyard/contract/conversation/protocol';
import type { RunCreate } from '@switchyard/contract/conversation/run';
import { isRecord } from '@switchyard/contract/is-record';
import type { Static } from 'typebox';
import { seqOf } from '../../agents/run-events/protocol-event.ts';
import { KeyLock } from '../../lib/async/key-lock.ts';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { nearest } from '../../lib/nearest.ts';
import type { Owner } from '../../lib/owner.ts';
import type { RunCaller } from '../runs/intake/run-intake.ts';
import type { Runs } from '../runs/runs.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import type { ThreadStates } from '../threads/thread-states.ts';
import { failureOf, ProtocolError, protocolErrorOf } from './protocol-error.ts';
import { checked } from './protocol-values.ts';
import { openQuestions, stateAnswer, treeOf } from './thread-answers.ts';

interface Done {
  result: Record<string, unknown>;
  /** The run that the command has started. */
  admission?: number;
}

type Params = Record<string, unknown>;
type Method = (caller: RunCaller, threadId: string, params: Params) => Promise<Done>;

/** Readers of the protocol get these frames of each run that it starts. */
const streamModes = ['values', 'updates', 'messages-tuple', 'tools', 'custom', 'tasks'];
/** An answer may arrive before the run that asked has ended. */
const questionMs = 5_000;

/** The commands of LangGraph's second protocol. Errors with a status of their own, such as 404 and 409, are thrown. */
export class ThreadCommands {
  readonly #options;
  readonly #answering = new KeyLock();
  readonly #methods: ReadonlyMap<string, Method> = new Map<string, Method>([
    ['run.start', (...given) => this.#startRun(...given)],
    ['input.respond', (...given) => this.#respond(...given)],
    ['agent.getTree', (...given) => this.#tree(...given)],
    ['state.get', (...given) => this.#state(...given)],
  ]);

  constructor(options: {
    runs: Pick<Runs, 'start' | 'newest' | 'look' | 'openRun' | 'result'>;
    states: Pick<ThreadStates, 'current' | 'at'>;
    access: Pick<ThreadAccess, 'require'>;
    timer?: Timer;
  }) {
    this.#options = options;
  }

  async execute(caller: RunCaller, threadId: string, body: unknown): Promise<ProtocolAnswer> {
    const id = idOf(body);
    try {
      const { method, params = {} } = checked(protocolCommand, body, '');
      // An answer may wait for the run that asks, and holds up no other command meanwhile.
      if (method !== 'run.start') caller.arrival?.leave();
      const { result, admission } = await this.#method(method)(caller, threadId, params);
      const meta =
        admission === undefined
          ? {}
          : { meta: { thread_id: threadId, applied_through_seq: seqOf(admission, 0) } };
      return { type: 'success', id: id ?? 0, result, ...meta };
    } catch (error) {
      const told = protocolErrorOf(error);
      if (!told) throw error;
      return failureOf(id, told);
    }
  }

  #method(name: string): Method {
    const method = this.#methods.get(name);
    if (method) return method;
    if (name.startsWith('subscription.'))
      throw new ProtocolError(
        'not_supported',
        'Over HTTP, POST …/stream/events subscribes. This command is for a WebSocket.',
      );
    const meant = nearest(name, this.#methods.keys());
    const hint =
      meant === undefined ? `Known are ${[...this.#methods.keys()].join(', ')}.` : `Do you mean ${meant}?`;
    throw new ProtocolError('unknown_command', `method: '${name}' is not known. ${hint}`);
  }

  async #startRun(caller: RunCaller, threadId: string, params: Params): Promise<Done> {
    const { input, multitaskStrategy, multitask_strategy, ...rest } = checked(
      runStartParams,
      params,
      'params',
    );
    const strategy = multitaskStrategy ?? multitask_strategy ?? 'enqueue';
    const isFork = typeof rest.config?.configurable?.checkpoint_id === 'string';
    const isAnswer =
      !isFork && input !== null && input !== undefined && (await this.#waits(caller, threadId));
    return this.#start(caller, threadId, {
      ...rest,
      ...(isAnswer ? { command: { resume: input } } : { input: input ?? null }),
      multitask_strategy: strategy,
      if_not_exists: 'create',
    });
  }

  /** Two answers to one question are judged one after the other, so that one of them finds it answered. */
  async #respond(caller: RunCaller, threadId: string, params: Params): Promise<Done> {
    const { answers, update, goto, config, metadata } = answersIn(params);
    return this.#answering.run(threadId, async () => {
      const asked = await this.#questions(caller, threadId, answers);
      const unknown = answers.find(({ interrupt_id: id }) => !asked.has(id));
      if (unknown)
        throw new ProtocolError(
          'no_such_interrupt',
          `params.interrupt_id: the thread does not wait for an answer to '${unknown.interrupt_id}'.`,
        );
      const resume = Object.fromEntries(
        answers.map(({ interrupt_id: id, response }) => [id, response ?? null]),
      );
      return this.#start(caller, threadId, {
        command: { resume, ...(update !== undefined && { update }), ...(goto !== undefined && { goto }) },
        config: config ?? null,
        metadata: metadata ?? null,
      }).then(({ admission }) => ({ result: {}, ...(admission !== undefined && { admission }) }));
    });
  }

  async #start(caller: RunCaller, threadId: string, body: RunCreate): Promise<Done> {
    const named = { ...caller, namesCheckpoints: true };
    const asked = { ...body, stream_mode: streamModes, stream_subgraphs: true };
    const { run } = await this.#options.runs.start(named, threadId, asked, { claim: true });
    return { result: { run_id: run.run_id }, admission: run.admission };
  }

  async #waits(caller: RunCaller, threadId: string): Promise<boolean> {
    const owner = ownerOf(caller);
    const thread = await this.#options.access.require(owner, threadId, { mustExist: false });
    if (thread?.status !== 'interrupted') return false;
    return openQuestions(await this.#options.states.current(owner, threadId)).size > 0;
  }

  /** The questions that the thread waits for, once the run that asks them has ended. */
  async #questions(
    caller: RunCaller,
    threadId: string,
    answers: readonly Answer[],
  ): Promise<ReadonlySet<string>> {
    const { access, runs, states, timer = systemTimer } = this.#options;
    const owner = ownerOf(caller);
    await access.require(owner, threadId, { mustExist: true });
    const open = await runs.openRun(owner, threadId);
    if (open) {
      const patience = new AbortController();
      const cancel = timer(() => patience.abort(stillAtWork()), questionMs);
      await runs.result(open, patience.signal).finally(cancel);
      if (await runs.openRun(owner, threadId)) throw stillAtWork();
    }
    const asked = openQuestions(await states.current(owner, threadId));
    if (asked.size === 0 && answers.length > 0)
      throw new ProtocolError('no_such_interrupt', 'The thread does not wait for an answer.');
    return asked;
  }

  async #tree(caller: RunCaller, threadId: string, params: Params): Promise<Done> {
    const { run_id: runId } = checked(treeParams, params, 'params');
    const { access, runs, states } = this.#options;
    const owner = ownerOf(caller);
    await access.require(owner, threadId, { mustExist: true });
    const run =
      runId === undefined ? await runs.newest(owner, threadId) : await runs.look(owner, { threadId, runId });
    if (runId !== undefined && !run)
      throw new ProtocolError('no_such_run', `params.run_id: no run '${runId}' in this thread.`);
    return { result: { tree: treeOf(run ?? null, await states.current(owner, threadId)) } };
  }

  async #state(caller: RunCaller, threadId: string, params: Params): Promise<Done> {
    const { namespace = [], keys } = checked(stateParams, params, 'params');
    const { access, states } = this.#options;
    const owner = ownerOf(caller);
    await access.require(owner, threadId, { mustExist: true });
    const checkpoint = { checkpoint_ns: namespace.join('|') };
    const state =
      namespace.length === 0
        ? await states.current(owner, threadId)
        : await states.at(owner, threadId, { checkpoint, subgraphs: false });
    if (namespace.length > 0 && !state.checkpoint)
      throw new ProtocolError(
        'no_such_namespace',
        'params.namespace: no state of a graph has this namespace.',
      );
    return { result: stateAnswer(state, keys) };
  }
}

type Answer = Static<typeof oneAnswerParams>;

function answersIn(params: Params) {
  if ('responses' in params) {
    const { responses, ...rest } = checked(manyAnswersParams, params, 'params');
    return { answers: responses as Answer[], ...rest };
  }
  const { update, goto, config, metadata, ...answer } = checked(oneAnswerParams, params, 'params');
  return { answers: [answer as Answer], update, goto, config, metadata };
}

function stillAtWork(): ProtocolError {
  return new ProtocolError('no_such_interrupt', 'The thread is at work and does not wait for an answer.');
}

/** An answer names its command where it can. */
function idOf(body: unknown): number | null {
  const id = isRecord(body) ? body.id : undefined;
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : null;
}

function ownerOf({ userId }: RunCaller): Owner {
  return { user: userId };
}
