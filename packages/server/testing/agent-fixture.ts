import { checkpointMigrations } from '../src/agents/checkpoints/migrations.ts';
import { Checkpointer } from '../src/agents/checkpoints/saver.ts';
import type { Agents } from '../src/agents/loading/agents.ts';
import { OwnCode } from '../src/agents/own-code/own-code.ts';
import type { AgentRunEnd, AgentRunRequest } from '../src/agents/run-contract/agent-run.ts';
import { GraphRunner } from '../src/agents/running/graph-runner.ts';
import { GraphStates, type StatefulThread } from '../src/agents/state/graph-state.ts';
import { openEventStorage } from '../src/conversation/journal/create-journal.ts';
import { Journal } from '../src/conversation/journal/journal.ts';
import type { RunRecorder } from '../src/conversation/journal/run-recorder.ts';
import { conversationMigrations } from '../src/conversation/migrations.ts';
import type { ConversationTables } from '../src/conversation/tables.ts';
import { AppError } from '../src/lib/app-error.ts';
import type { Database } from '../src/platform/database/database.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { openDatabase } from '../src/platform/database/open.ts';

export interface Frame {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: what tests look into, JSON of any shape.
  data: any;
}

export interface Ran {
  end: AgentRunEnd;
  frames: Frame[];
}

interface RunOptions extends Partial<AgentRunRequest> {
  signal?: AbortSignal;
  onFrame?: (frame: Frame) => void;
  /** Part of each of the run's units. */
  confirm?: () => Promise<void>;
}

/**
 * The agent runtime over a database in memory, for tests: graphs by name, which it runs and reads as the gateway does.
 */
export interface AgentFixture {
  database: Database<ConversationTables>;
  checkpointer: Checkpointer;
  states: GraphStates;
  journal: Journal;
  thread(graphId: string | null, threadId?: string): StatefulThread;
  run(graphId: string, options?: RunOptions): Promise<Ran>;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: every graph has a type of its own.
export type AnyGraph = any;

export async function openAgentFixture(graphs: Record<string, AnyGraph>): Promise<AgentFixture> {
  const opened = await openDatabase({ backend: 'memory' });
  await migrate(opened, 'checkpointer', checkpointMigrations);
  await migrate(opened, 'conversation', conversationMigrations);
  const database = opened.withTables<ConversationTables>();
  const checkpointer = new Checkpointer(opened);
  const parts = { agents: { graph: graphFrom(graphs) }, checkpointer: async () => checkpointer };
  const journal = new Journal({
    storage: openEventStorage({ backend: 'db', database, home: '/nowhere' }),
    maxTraceBytes: 10_240,
    trackTokens: true,
    now: Date.now,
    onFlushFailed: () => undefined,
  });
  const ownCode = new OwnCode(() => Promise.reject(new Error('This fixture has no gateway.')));
  const runner = new GraphRunner({ ...parts, ownCode });
  let runs = 0;

  const run = async (
    graphId: string,
    { signal, onFrame, confirm, ...request }: RunOptions = {},
  ): Promise<Ran> => {
    runs += 1;
    const complete = requestFor(graphId, {
      runId: `00000000-0000-7000-8000-${String(runs).padStart(12, '0')}`,
      ...request,
    });
    const frames: Frame[] = [];
    const recorder: RunRecorder = await journal.recorderFor({
      ...complete,
      followUpTo: null,
      ...(confirm && { confirm }),
    });
    try {
      const end = await runner.run(complete, {
        signal: signal ?? new AbortController().signal,
        recorder,
        frame: (event, data) => {
          const frame = { event, data: JSON.parse(JSON.stringify(data)) };
          frames.push(frame);
          onFrame?.(frame);
        },
      });
      if (end.outcome === 'done') {
        await recorder.write(...end.rest);
      }
      return { end, frames };
    } finally {
      // As in the gateway: the recorder of a run that broke off writes nothing later.
      recorder.close();
    }
  };

  return {
    database,
    checkpointer,
    journal,
    states: new GraphStates({
      agents: { ...parts.agents, isFromFile: () => false },
      checkpointer: parts.checkpointer,
      settingsOfRun: async () => null,
    }),
    thread: (graphId, threadId = 'thread') => ({ threadId, graphId, userId: 'user' }),
    run,
    close: () => opened.close(),
  };
}

function graphFrom(graphs: Record<string, AnyGraph>): Agents['graph'] {
  return async (graphId, { checkpointer }) => {
    if (!graphs[graphId])
      throw new AppError('assistant_not_found', { message: `Graph ${graphId} not found` });
    const bound = graphs[graphId].withConfig({});
    bound.checkpointer = checkpointer;
    return bound;
  };
}

function requestFor(graphId: string, changes: Partial<AgentRunRequest>): AgentRunRequest {
  return {
    runId: 'run',
    threadId: 'thread',
    userId: 'user',
    assistantId: graphId,
    graphId,
    agentName: null,
    attempt: 1,
    input: {},
    command: null,
    checkpoint: null,
    config: {},
    context: {},
    metadata: {},
    interruptBefore: null,
    interruptAfter: null,
    streamModes: ['values'],
    streamSubgraphs: false,
    isSecondProtocol: false,
    durability: null,
    ...changes,
  };
}
