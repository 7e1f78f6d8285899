import type { Client } from '@switchyard/client/client';
import {
  listTaskNodes,
  type TaskNode,
  type TaskNodeList,
  type UsualNodeTime,
} from '@switchyard/contract/dispatch/task-node';

/** The nodes of a task from all pages of their list. */
export async function nodesOf(
  { call }: Pick<Client, 'call'>,
  taskId: string,
): Promise<Pick<TaskNodeList, 'items' | 'usual' | 'folded'>> {
  const items: TaskNode[] = [];
  const usual: UsualNodeTime[] = [];
  for (let cursor: string | undefined; ; ) {
    const query: { limit: number; cursor: string | undefined } = { limit: 500, cursor };
    const page: TaskNodeList = await call(listTaskNodes, { params: { taskId }, query });
    items.push(...page.items);
    usual.push(...page.usual);
    if (page.nextCursor === null) return { items, usual, folded: page.folded };
    cursor = page.nextCursor;
  }
}
