import { beforeEach, expect, test } from 'vitest';
import { DispatchEvents } from '../dispatch-events.ts';
import type { TaskRow } from '../tables.ts';
import type { Answer } from './dispatch-orders.ts';
import { RunningNodes } from './running-nodes.ts';

const event = { type: 'node_started', nodeId: '7', topNodeId: '7' } as const;
const node = { taskId: 'a', nodeId: '7', topNodeId: '7' };

let events: DispatchEvents;
let answer: Answer;
let isDispatcher: boolean;
let running: RunningNodes;

beforeEach(() => {
  events = new DispatchEvents((error) => {
    throw error;
  });
  answer = null;
  isDispatcher = true;
  running = new RunningNodes({
    events,
    orders: { ask: async () => answer },
    isDispatcher: () => isDispatcher,
  });
  events.announce({ type: 'task_execution', taskId: 'a', owner: 'ada', event });
});

test('the dispatcher names the node of a task until the task ends, to its user alone', async () => {
  expect(await running.of('ada')).toEqual([node]);
  expect(await running.of('bob')).toEqual([]);
  events.announce({ type: 'task_ended', task: { id: 'a' } as TaskRow });
  expect(await running.of('ada')).toEqual([]);
});

test('another replica asks the dispatcher, and takes no answer for no nodes', async () => {
  isDispatcher = false;
  expect(await running.of('ada')).toEqual([]);
  answer = [node];
  expect(await running.of('ada')).toEqual([node]);
});

test('what ran under an earlier dispatcher is forgotten', async () => {
  running.forgetAll();
  expect(await running.of('ada')).toEqual([]);
});
