import type { TaskNode, TaskNodeList, UsualNodeTime } from '@switchyard/contract/dispatch/task-node';
import { AppError } from '../../lib/app-error.ts';
import { toIso } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import { type Graph, nodeTitle } from '../graphs/graph.ts';
import type { AttemptRow, AttemptStore, AttemptWithNodes } from './attempt-store.ts';
import { readNodes } from './node-record.ts';
import type { NodeTimes } from './node-times.ts';
import type { TaskStore } from './task-store.ts';

/** One attempt with its nodes in the order in which they began. */
export interface AttemptNodes {
  attempt: AttemptRow;
  nodes: TaskNode[];
  folded: TaskNodeList['folded'][number] | null;
}

/** Reads the nodes of a task from its rows. */
export class TaskNodes {
  readonly #options;

  constructor(options: {
    tasks: Pick<TaskStore, 'get' | 'input'>;
    attempts: Pick<AttemptStore, 'withNodesOf'>;
    times: Pick<NodeTimes, 'ofGraph'>;
  }) {
    this.#options = options;
  }

  /** For the gateway itself: the caller has checked whose task it is. Returns nothing for a task that does not exist. */
  async of(taskId: string): Promise<AttemptNodes[]> {
    return (await this.#read(taskId)).attempts;
  }

  async page(
    owner: Owner,
    taskId: string,
    { limit, cursor }: { limit: number; cursor: string | undefined },
  ): Promise<TaskNodeList> {
    const task = await this.#options.tasks.get(owner, taskId);
    if (!task) throw new AppError('task_not_found');
    const { graph, attempts } = await this.#read(taskId);
    const all = attempts.flatMap(({ nodes }) => nodes.map((node, index) => ({ node, index })));
    const [attempt = 0, index = -1] = (cursor ?? '').split('-').map(Number);
    const rest = all.filter(
      ({ node, index: at }) => !cursor || node.attempt > attempt || (node.attempt === attempt && at > index),
    );
    const shown = rest.slice(0, limit);
    const last = shown.at(-1);
    return {
      items: shown.map(({ node }) => node),
      usual: cursor ? [] : await this.#usualTimes(task.fingerprint, graph),
      folded: attempts.flatMap(({ folded }) => folded ?? []),
      nextCursor: last && rest.length > limit ? `${last.node.attempt}-${last.index}` : null,
    };
  }

  async #read(taskId: string): Promise<{ graph: Graph; attempts: AttemptNodes[] }> {
    const [input, attempts] = await Promise.all([
      this.#options.tasks.input(taskId),
      this.#options.attempts.withNodesOf(taskId),
    ]);
    const graph = input ? (JSON.parse(input.workflow) as Graph) : {};
    return { graph, attempts: attempts.map((attempt) => viewNodes(attempt, graph)) };
  }

  async #usualTimes(fingerprint: string, graph: Graph): Promise<UsualNodeTime[]> {
    const times = await this.#options.times.ofGraph(fingerprint);
    return Object.keys(graph).flatMap((node) => {
      const ms = times.get(node);
      return ms === undefined ? [] : { node, title: nodeTitle(graph, node), seconds: ms / 1_000 };
    });
  }
}

function viewNodes({ nodes, ...row }: AttemptWithNodes, graph: Graph): AttemptNodes {
  const { attempt } = row;
  const { spans, folded } = readNodes(nodes);
  return {
    attempt: row,
    nodes: spans.map(({ nodeId, startMs, endMs, ...told }) => ({
      attempt,
      node: nodeId,
      title: nodeTitle(graph, nodeId),
      class: graph[nodeId]?.class_type ?? '',
      startedAt: startMs === null ? null : toIso(startMs),
      endedAt: endMs === null ? null : toIso(endMs),
      cached: told.state === 'cached',
      ...told,
    })),
    folded: folded && {
      attempt,
      count: folded.count,
      cached: folded.cached,
      startedAt: folded.startMs === null ? null : toIso(folded.startMs),
      endedAt: folded.endMs === null ? null : toIso(folded.endMs),
    },
  };
}
