import type { Mount } from '@switchyard/contract/conversation/mounts';
import type { RunCreate } from '@switchyard/contract/conversation/run';
import { say } from '@switchyard/contract/sentences/sentences';
import { assistantIdOf, leadAgentName } from '../../../agents/agent-ids.ts';
import type { Agents, GraphSettings, ResolvedAgent } from '../../../agents/loading/agents.ts';
import { requestedModelOf } from '../../../agents/models/requested-model.ts';
import type { GraphStates } from '../../../agents/state/graph-state.ts';
import { messagesOf, requireMessages } from '../../../agents/state/message-faults.ts';
import { isSetUp } from '../../../agents/working-agent.ts';
import type { Arrival } from '../../../http/exchange/arrivals.ts';
import { AppError } from '../../../lib/app-error.ts';
import { newId, newTimeOrderedId } from '../../../lib/ids.ts';
import type { Owner } from '../../../lib/owner.ts';
import { type MountRules, mountRules } from '../../mount-rules.ts';
import type { ThreadRow } from '../../tables.ts';
import { assistantOf, titleByHand } from '../../threads/thread.ts';
import type { ThreadAccess } from '../../threads/thread-access.ts';
import type { RunWebhooks } from '../ending/run-webhooks.ts';
import { requireValidSettings } from '../records/lead-agent-settings.ts';
import { requestedAgentOf, withAgent } from '../records/run-agent.ts';
import {
  kwargsOf,
  onCompletionOf,
  type RunKwargs,
  refusal,
  threadIdsIn,
  unsupported,
  withTitle,
} from '../records/run-request.ts';
import { checkpointNotFound, type NewRun } from './run-admission.ts';

/** The user who starts a run, and the mount that they use. */
export interface RunCaller {
  userId: string;
  mount: Mount;
  /** The user as the operator's own authentication described them; absent for every other user. */
  authUser?: Record<string, unknown>;
  /** Set by callers within the gateway that must not start a run twice; no request can set it. */
  runId?: string;
  /** Its place among the caller's requests; absent for callers within the gateway, which ask one after the other. */
  arrival?: Arrival;
  /** The span around the run; absent when nothing is traced. */
  traceparent?: string;
  /** The frames of the run name the checkpoint of each state, which readers of the second protocol need. */
  namesCheckpoints?: boolean;
}

export interface RunIntakeOptions {
  access: Pick<ThreadAccess, 'require' | 'requireKnown'>;
  agents: Pick<Agents, 'resolve'>;
  states: Pick<GraphStates, 'current' | 'lastSettings'>;
  webhooks: Pick<RunWebhooks, 'requireCallable'>;
  limits: { recursion: { standard: number; max: number } };
  /** A custom agent of the caller's by its name, or one that a run may set up. Throws `agent_not_found`. */
  customAgent: (
    owner: Owner,
    name: string,
    requested: { mayBeNew: boolean },
  ) => Promise<{ name: string; model: string | null }>;
  /** The models that the lead agent can use. */
  modelNames: readonly string[];
  newRunId: () => string;
}

const threadIdPattern = /^[A-Za-z0-9_-]{1,64}$/;

type Target = Pick<NewRun, 'threadId' | 'createThread' | 'deleteThread'>;
type FoundTarget = Target & { thread: ThreadRow | null };

/** Checks a request before anything is written: who owns the ids in it, whether it can be obeyed, and which run it describes. */
export class RunIntake {
  readonly #options: RunIntakeOptions;

  constructor(options: RunIntakeOptions) {
    this.#options = options;
  }

  async prepare(
    { userId, mount, runId, namesCheckpoints, authUser, traceparent }: RunCaller,
    threadId: string | null,
    body: RunCreate,
  ): Promise<NewRun> {
    const { webhooks, limits, newRunId } = this.#options;
    const owner: Owner = { user: userId };
    const { thread, ...target } =
      threadId === null
        ? await this.#ownThread(owner, body, mountRules[mount])
        : await this.#namedThread(owner, threadId, body);
    await this.#requireOwn(owner, target.threadId, body);
    const { assistantName, agent, settings } = await this.#assistantOf(owner, body, thread);
    const isOurs = agent.graphId === leadAgentName;
    if (isOurs) requireOwnMessages(body);
    if (body.webhook) webhooks.requireCallable(body.webhook);
    const asked = kwargsOf(body, {
      assistant: settings,
      recursionLimit: limits.recursion,
      newMessageId: isOurs ? newId : null,
    });
    const kwargs = isOurs ? await this.#forLeadAgent(owner, asked, thread) : asked;
    if (kwargs.checkpoint) await this.#requireCheckpoint(userId, target, agent, kwargs.checkpoint);
    return {
      ...target,
      runId: runId ?? newRunId(),
      userId,
      knownMetadata: thread?.metadata ?? null,
      agent,
      assistantName,
      nextAssistant: agentThatWorks(agent, kwargs) ?? assistantName,
      strategy: body.multitask_strategy ?? 'enqueue',
      afterSeconds: body.after_seconds ?? 0,
      followUpTo: body.follow_up_to_run_id,
      webhook: body.webhook ?? null,
      kwargs: {
        ...kwargs,
        ...(namesCheckpoints && { names_checkpoints: true }),
        ...(authUser && { auth_user: authUser }),
        ...(traceparent !== undefined && { traceparent }),
      },
    };
  }

  async #namedThread(owner: Owner, threadId: string, body: RunCreate): Promise<FoundTarget> {
    const createThread = body.if_not_exists === 'create';
    const thread = await this.#options.access.require(owner, threadId, { mustExist: !createThread });
    if (onCompletionOf(body) === 'delete') throw unsupported('on_completion', body.on_completion);
    return { thread, threadId, createThread, deleteThread: 0 };
  }

  /** A thread that the body names belongs to the caller and is kept, unless the request says otherwise. */
  async #ownThread(owner: Owner, body: RunCreate, rules: MountRules): Promise<FoundTarget> {
    const named = body.config?.configurable?.thread_id;
    const isNewThread = named === undefined || named === null;
    const threadId = isNewThread ? newTimeOrderedId() : checkedThreadId(named);
    const thread = isNewThread
      ? null
      : await this.#options.access.require(owner, threadId, { mustExist: false });
    const completion = onCompletionOf(body) ?? (isNewThread ? rules.statelessThread : 'keep');
    const withWebhook = body.webhook ? 2 : 1;
    return {
      thread,
      threadId,
      createThread: true,
      deleteThread: completion === 'delete' ? withWebhook : 0,
    };
  }

  /**
   * Checks the ids of other threads in the body: one of another user is not found, the caller's own one is refused when it does
   * not fit.
   */
  async #requireOwn(owner: Owner, threadId: string, body: RunCreate): Promise<void> {
    for (const { path, id } of threadIdsIn(body)) {
      if (id === threadId) continue;
      await this.#options.access.requireKnown(owner, id);
      if (path[0] !== 'checkpoint') continue;
      throw refusal({
        path,
        type: 'value_error',
        message: 'Value error, the checkpoint is of another thread',
        input: id,
      });
    }
  }

  /** The assistant that the request names, or the one that the thread goes on with. */
  async #assistantOf(
    owner: Owner,
    { assistant_id: named }: RunCreate,
    thread: ThreadRow | null,
  ): Promise<{ assistantName: string; agent: ResolvedAgent; settings: GraphSettings }> {
    const { agents } = this.#options;
    if (named) {
      const agent = await agents.resolve(owner, named);
      return { assistantName: named, agent, settings: agent };
    }
    const assistantName = assistantOf(thread);
    const agent = await agents.resolve(owner, assistantName).catch((error: unknown) => {
      throw withThreadsAssistant(error, assistantName);
    });
    return { assistantName, agent, settings: await this.#goingOn(agent, thread) };
  }

  /**
   * A user's graph that goes on in a thread has the settings of the run before, because it may be another graph without them. A
   * shared thread holds runs of other users, whose settings are theirs.
   */
  async #goingOn(agent: ResolvedAgent, thread: ThreadRow | null): Promise<GraphSettings> {
    if (agent.graphId === leadAgentName || !thread?.user_id) return agent;
    const last = await this.#options.states.lastSettings(thread.thread_id);
    const configurable = { ...agent.config.configurable, ...last?.configurable };
    return { config: { ...agent.config, configurable }, context: { ...agent.context, ...last?.context } };
  }

  /** Users' own graphs may use the same keys for something else. */
  async #forLeadAgent(owner: Owner, asked: RunKwargs, thread: ThreadRow | null): Promise<RunKwargs> {
    requireValidSettings(asked);
    const name = requestedAgentOf(asked);
    const mayBeNew = isSetUp({ context: asked.context, configurable: asked.config.configurable });
    const own = { ...asked, input: withoutNullMessages(asked.input) };
    const kwargs =
      name === null ? own : withAgent(own, await this.#options.customAgent(owner, name, { mayBeNew }));
    this.#requireModel(kwargs);
    // A run from an older state brings the title of that time back, so it is given the one that the user chose.
    const title = kwargs.checkpoint ? titleByHand(thread) : null;
    return title === null ? kwargs : withTitle(kwargs, title);
  }

  #requireModel({ context, config }: RunKwargs): void {
    const { name } = requestedModelOf(context, config.configurable);
    const { modelNames } = this.#options;
    if (name === null || modelNames.includes(name)) return;
    throw refusal({
      path: ['context', 'model_name'],
      type: 'value_error',
      message: `Model '${name}' is not configured; these are: ${modelNames.join(', ')}`,
      input: name,
    });
  }

  async #requireCheckpoint(
    userId: string,
    { threadId }: Target,
    { graphId }: ResolvedAgent,
    checkpoint: NonNullable<NewRun['kwargs']['checkpoint']>,
  ): Promise<void> {
    if (await this.#options.states.current({ threadId, graphId, userId }, { checkpoint })) return;
    throw checkpointNotFound(checkpoint.checkpoint_id);
  }
}

/** Users' own graphs may use `messages` for something else. */
function requireOwnMessages({ input, command }: RunCreate): void {
  requireMessages(messagesOf(input) ?? undefined, ['input', 'messages']);
  requireMessages(messagesOf(command?.update), ['command', 'update', 'messages']);
}

/** Null counts as absent; the channel itself would fail on it. */
function withoutNullMessages(input: unknown): unknown {
  if (messagesOf(input) !== null) return input;
  const { messages: _none, ...rest } = input as Record<string, unknown>;
  return rest;
}

/** The error names the assistant that the client did not name. */
function withThreadsAssistant(error: unknown, assistant: string): unknown {
  if (!(error instanceof AppError) || error.code !== 'assistant_not_found') return error;
  return new AppError('assistant_not_found', {
    message: say('thread_assistant_gone', { assistant }),
    named: assistant,
    cause: error,
  });
}

/** The custom agent as which a run of the built-in agent works, once that agent is set up. */
function agentThatWorks({ assistantId }: ResolvedAgent, { agent_name, context, config }: RunKwargs) {
  const isBuiltIn = assistantId === assistantIdOf(leadAgentName);
  return isBuiltIn && !isSetUp({ context, configurable: config.configurable }) ? agent_name : null;
}

function checkedThreadId(named: unknown): string {
  if (typeof named === 'string' && threadIdPattern.test(named)) return named;
  throw refusal({
    path: ['config', 'configurable', 'thread_id'],
    type: 'string_pattern_mismatch',
    message: "String should match pattern '^[A-Za-z0-9_-]{1,64}$'",
    input: named,
  });
}
