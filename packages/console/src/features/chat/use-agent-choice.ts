import type { Run, RunCreate } from '@switchyard/contract/conversation/run';
import type { Thread } from '@switchyard/contract/conversation/thread';
import { isRecord } from '@switchyard/contract/is-record';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useQueryState } from '../../lib/address.ts';
import { browserStorage } from '../../lib/browser-storage.ts';
import {
  assistantNamed,
  assistantsQuery,
  type ListedAssistant,
  leadAgent,
} from '../../lib/data/assistants.ts';
import { runQuery } from '../../lib/data/runs.ts';
import { threadQuery, threadRunsQuery } from '../../lib/data/threads.ts';
import { type AgentChoice, contextOf, readChoice, settingsIn } from './model/agent-choice.ts';

const key = 'switchyard.agent';

/** A user's own graph that answers. */
export interface ChosenGraph {
  /** How runs name it. */
  named: string;
  description: string | null;
  /** The context of its last run, or that with which its assistant begins. */
  context: Record<string, unknown>;
}

export interface ChosenAgent {
  choice: AgentChoice;
  onChoice: (change: Partial<AgentChoice>) => void;
  /** Null for the built-in agent, and for agents that are made of it. */
  graph: ChosenGraph | null;
  /** False until the last run is here, with which the settings of a form begin. */
  isSettled: boolean;
  /** Returns the requests as soon as the agent is known. */
  requests: () => Promise<Requests>;
}

export interface Requests {
  /** The request for a message. */
  asked: RunCreate;
  /** The request for the answer to a question: it goes to the agent that asks. */
  answered: RunCreate;
}

/**
 * Returns the agent for a new conversation: the one of the address, or the one that the user has chosen last in this
 * browser.
 */
export function useAgentChoice(): ChosenAgent {
  const cache = useQueryClient();
  const [named, setNamed] = useQueryState('agent');
  const [kept, setKept] = useState(() => readChoice(browserStorage.getItem(key)));
  const { data } = useQuery(assistantsQuery);
  const wanted = named ?? kept.agent;
  const { agent, graph } = data ? presentAnswerer(data, wanted) : { agent: wanted, graph: null };
  return {
    choice: { ...kept, agent },
    onChoice: (change) => {
      const next = { ...kept, agent, ...change };
      browserStorage.setItem(key, JSON.stringify(next));
      setKept(next);
      if (named !== null) setNamed(null);
    },
    graph,
    isSettled: true,
    requests: async () => {
      const known = wanted === null ? [] : await cache.ensureQueryData(assistantsQuery);
      const answerer = presentAnswerer(known, wanted);
      const settings = answerer.graph === null ? contextOf(kept) : {};
      return { asked: { assistant_id: answerer.agent ?? leadAgent, ...settings }, answered: {} };
    },
  };
}

/**
 * Returns the agent for a thread: that of its last run with the settings of that run, until the user chooses another.
 */
export function useAgentOfThread(threadId: string): ChosenAgent {
  const cache = useQueryClient();
  const [chosen, setChosen] = useState<Partial<AgentChoice>>({});
  const { data: assistants = [] } = useQuery(assistantsQuery);
  const thread = useQuery(threadQuery(threadId)).data;
  const runs = useQuery(threadRunsQuery(threadId)).data;
  const lastId = runs?.[0]?.run_id;
  const run = useQuery({
    ...runQuery(threadId, lastId ?? ''),
    enabled: lastId !== undefined,
    placeholderData: keepPreviousData,
  }).data;
  const { choice, graph } = inThread({ assistants, thread, run, chosen });
  return {
    choice,
    onChoice: (change) => setChosen({ ...chosen, ...change }),
    graph,
    isSettled: runs !== undefined && (lastId === undefined || run !== undefined),
    requests: async () => {
      const [known, record, all] = await Promise.all([
        cache.ensureQueryData(assistantsQuery),
        cache.ensureQueryData(threadQuery(threadId)),
        cache.ensureQueryData(threadRunsQuery(threadId)),
      ]);
      const id = all[0]?.run_id;
      const last = id === undefined ? undefined : await cache.ensureQueryData(runQuery(threadId, id));
      return inThread({ assistants: known, thread: record, run: last, chosen });
    },
  };
}

interface ThreadFacts {
  assistants: readonly ListedAssistant[];
  thread: Thread | undefined;
  /** The last one. */
  run: Run | undefined;
  chosen: Partial<AgentChoice>;
}

function inThread({ assistants, thread, run, chosen }: ThreadFacts) {
  const context = run?.kwargs?.context;
  const before = run ? settingsIn(context) : readChoice(browserStorage.getItem(key));
  const own = answererOf(assistants, thread, context);
  const choice: AgentChoice = { ...before, agent: own.agent, ...chosen };
  const isChosen = chosen.agent !== undefined;
  const { graph } = isChosen ? answererNamed(assistants, choice.agent) : own;
  return {
    choice,
    graph,
    asked: {
      ...(isChosen && { assistant_id: choice.agent ?? leadAgent }),
      ...(graph === null && contextOf(choice)),
    },
    answered: own.graph === null ? contextOf({ ...choice, ...before }) : {},
  };
}

/** Null is the built-in agent. */
type Answerer = Pick<AgentChoice, 'agent'> & Pick<ChosenAgent, 'graph'>;

function answererNamed(assistants: readonly ListedAssistant[], agent: string | null): Answerer {
  const found = assistantNamed(assistants, agent ?? leadAgent);
  if (agent === null || !found || isLead(found))
    return { agent: found && isLead(found) ? null : agent, graph: null };
  return { agent, graph: found.graph_id === leadAgent ? null : graphOf(found, agent) };
}

/** An agent that is gone leaves the choice to the built-in one. */
function presentAnswerer(assistants: readonly ListedAssistant[], agent: string | null): Answerer {
  return answererNamed(assistants, isListed(assistants, agent) ? agent : null);
}

/** The agent of the last run. The graph of a thread is known also where its assistant is gone. */
function answererOf(
  assistants: readonly ListedAssistant[],
  thread: Thread | undefined,
  context: unknown,
): Answerer {
  const named = thread?.assistant_id ?? null;
  const answerer = answererNamed(assistants, named === leadAgent ? null : named);
  const graphId = thread?.metadata.graph_id ?? leadAgent;
  const isOwn = answerer.graph !== null || (graphId !== leadAgent && !isListed(assistants, named));
  if (!isOwn || named === null) return answerer;
  const graph = answerer.graph ?? graphOf(undefined, named);
  return { agent: named, graph: { ...graph, ...(isRecord(context) && { context }) } };
}

function isListed(assistants: readonly ListedAssistant[], named: string | null): boolean {
  return named === null || assistantNamed(assistants, named) !== undefined;
}

function isLead({ graph_id, name }: ListedAssistant): boolean {
  return graph_id === leadAgent && name === leadAgent;
}

function graphOf(found: ListedAssistant | undefined, named: string): ChosenGraph {
  return { named, description: found?.description ?? null, context: found?.context ?? {} };
}
