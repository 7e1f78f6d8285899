import type { AuthEvent } from '../../agents/loading/auth-events.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Assistants } from '../catalog/assistants.ts';
import type { Runs } from '../runs/runs.ts';
import type { ThreadRow } from '../tables.ts';
import { threadNotFound } from '../threads/thread.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { type AskedRequest, type Json, paramOf } from './asked-request.ts';
import { readAssistant } from './assistant-rules.ts';
import { type AuthFilter, passes } from './auth-filter.ts';

interface ThreadReachOptions {
  access: Pick<ThreadAccess, 'find'>;
  runs: Pick<Runs, 'look'>;
  assistants: Pick<Assistants, 'get' | 'isStored'>;
}

interface ReachedThread {
  threadId: string;
  filter: AuthFilter | null;
  /** True when the request may make a thread of this id. */
  mayBeNew?: boolean;
}

/**
 * Checks single threads, and what runs start with, against what the handlers allow. Whose they are is decided after it, as for
 * every caller.
 */
export class ThreadReach {
  readonly #access: ThreadReachOptions['access'];
  readonly #runs: ThreadReachOptions['runs'];
  readonly #assistants: ThreadReachOptions['assistants'];

  constructor({ access, runs, assistants }: ThreadReachOptions) {
    this.#access = access;
    this.#runs = runs;
    this.#assistants = assistants;
  }

  readonly readThread = (asked: AskedRequest): Promise<void> =>
    this.#check(asked, 'threads:read', paramOf(asked, 'thread_id'));

  readonly readNamed = (asked: AskedRequest, threadId: string): Promise<void> =>
    this.#check(asked, 'threads:read', threadId);

  readonly updateThread = (asked: AskedRequest): Promise<void> =>
    this.#check(asked, 'threads:update', paramOf(asked, 'thread_id'));

  readonly readThreadOfRun = (asked: AskedRequest): Promise<void> => this.ofRun(asked, 'threads:read');

  /** Checks the thread of a run that is named by its id alone. */
  readonly ofRun = async (
    asked: AskedRequest,
    event: AuthEvent,
    runId: string = paramOf(asked, 'run_id'),
  ): Promise<void> => {
    const run = await this.#runs.look(asked.call.owner, { threadId: null, runId });
    if (run) return this.#check(asked, event, run.thread_id);
    await asked.ask(event, { run_id: runId });
  };

  /**
   * An assistant that the caller has made is read when a run starts with it. For graphs the handlers of runs decide alone: a
   * handler of everything that returns what its caller owns would hide each graph.
   */
  readonly readStarted = async (asked: AskedRequest, named: unknown): Promise<void> => {
    if (typeof named !== 'string' || !(await this.#assistants.isStored(asked.call.owner, named))) return;
    await readAssistant(this.#assistants, asked, named);
  };

  /** A thread that the filter hides is answered like one that does not exist. */
  readonly requireThread = async (
    { call: { owner } }: AskedRequest,
    { threadId, filter, mayBeNew = false }: ReachedThread,
  ): Promise<void> => {
    if (!filter) return;
    const metadata = await this.metadataOf(owner, threadId);
    const isHidden = metadata ? !passes(metadata, filter) : !mayBeNew;
    if (isHidden) throw threadNotFound(threadId);
  };

  /** Null when the caller has no such thread. */
  readonly threadOf = async (owner: Owner, threadId: string | null): Promise<ThreadRow | null> =>
    threadId === null ? null : this.#access.find(owner, threadId);

  readonly metadataOf = async (owner: Owner, threadId: string): Promise<Json | null> => {
    const thread = await this.threadOf(owner, threadId);
    return thread && (JSON.parse(thread.metadata) as Json);
  };

  async #check(asked: AskedRequest, event: AuthEvent, threadId: string): Promise<void> {
    const { filter } = await asked.ask(event, { thread_id: threadId, ...actionIn(asked) });
    await this.requireThread(asked, { threadId, filter });
  }
}

/** The way in which a run is to be cancelled is part of the value. */
function actionIn({ call }: AskedRequest): Json {
  const { action } = call.query;
  return action === undefined ? {} : { action };
}
