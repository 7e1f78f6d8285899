import type { Run } from '@switchyard/contract/conversation/run';
import type { StreamedMessage } from '@switchyard/contract/conversation/stream-frames';
import type { Task } from '@switchyard/contract/dispatch/task';
import type { LiveSubagent } from '../../../lib/live/run-subagents.ts';
import type { LiveWorkerTask } from '../../../lib/live/run-worker-tasks.ts';

/** A call of a tool inside a turn, with what has come of it. */
export interface ToolPart {
  kind: 'tool';
  id: string;
  name: string;
  args: unknown;
  result: StreamedMessage | null;
  /** A call waits while a person has to answer before the run goes on. */
  state: 'running' | 'waiting' | 'done' | 'failed' | 'stopped';
  /** The task on the pool that the call asked for; null for other tools, and before it is known. */
  task: ToolTask | null;
  subagent: LiveSubagent | null;
  /** What another server says of its task; null for other tools, and in a run that is not followed. */
  progress: string | null;
}

export interface ToolTask {
  taskId: string;
  /** As the pool has it; null until it was read, and when it was deleted. */
  task: Task | null;
  /** The task as the stream of the run shows it. */
  live: LiveWorkerTask | null;
}

export interface TextPart {
  kind: 'text';
  id: string;
  text: string;
}

export type TurnPart = TextPart | ToolPart;

export interface TurnFeedback {
  rating: number;
  comment: string | null;
}

/** The message of a person, and the answer of one run of the agent to it. */
export interface Turn {
  runId: string;
  /** Null for a run that goes on after an answer to its question. */
  human: StreamedMessage | null;
  parts: TurnPart[];
  /** The last message of the agent; null while it has said nothing. */
  answerId: string | null;
  /** The run as it is stored; null until it was read. */
  run: Run | null;
  isLive: boolean;
  isSimulated: boolean;
  feedback: TurnFeedback | null;
  /** The position of its messages in the thread: pages of older messages end there. */
  firstSeq: number | null;
}
