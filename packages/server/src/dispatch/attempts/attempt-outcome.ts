import type { TaskErrorCode } from '@switchyard/contract/dispatch/task';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { type Graph, nodeTitle } from '../graphs/graph.ts';
import { type AttemptFailure, errorCodeOf } from '../tasks/task.ts';
import { newTaskError, type WordedTaskError } from '../tasks/task-messages.ts';
import type {
  ExecutionError,
  ExecutionResult,
  NodeFault,
  SubmitOutcome,
  WorkerCallCause,
} from '../worker-client/worker-client.ts';

/** The way in which an attempt ended, before anything is written. */
export type AttemptOutcome =
  | { kind: 'succeeded'; result: ExecutionResult }
  | { kind: 'failed'; failure: AttemptFailure; error: WordedTaskError; against?: Against }
  /** The task was cancelled. */
  | { kind: 'cancelled' }
  /** The instance was drained with force: the task goes back to the queue, and none of its own attempts is used up. */
  | { kind: 'given_back' };

/**
 * The tasks that also avoid the instance, besides the failed task itself. `no_one`: the failure depends on the values
 * of this task. `owner`: the failure may depend on them (no memory, a device error), and one user's tasks must not slow
 * another's. `everyone`: the failure is the same for all users (a missing node class, a refused connection). `host`:
 * the machine under the worker failed, so all of the owner's tasks avoid it, and those of all users once a second user
 * has met it.
 */
export type Against = 'no_one' | 'owner' | 'everyone' | 'host';

export function failed(failure: AttemptFailure, message: Wording, code?: TaskErrorCode): AttemptOutcome {
  return { kind: 'failed', failure, error: newTaskError(code ?? errorCodeOf(failure), message) };
}

/**
 * Returns the outcome of a refused submission for the task. Returns null for the two answers after which the worker may
 * hold the prompt.
 */
export function outcomeOfSubmit(outcome: SubmitOutcome, graph: Graph): AttemptOutcome | null {
  switch (outcome.outcome) {
    case 'accepted':
    case 'unknown':
      return null;
    case 'invalid':
      return {
        kind: 'failed',
        failure: 'graph_error',
        error: withNode(nodeError('invalid_workflow', outcome.error), outcome.error.nodeId, graph),
      };
    case 'incapable':
      return {
        kind: 'failed',
        failure: 'not_taken',
        against: outcome.lacks === 'node_class' ? 'everyone' : 'no_one',
        error: withNode(nodeError('rejected_by_worker', outcome.error), outcome.error.nodeId, graph),
      };
    case 'input_missing':
      return {
        kind: 'failed',
        failure: 'not_taken',
        error: withNode(nodeError('input_file_missing', outcome.error), outcome.error.nodeId, graph),
      };
    case 'not_taken':
      return notTaken(outcome.message, outcome.cause);
  }
}

/** Causes that the task itself may have brought about: its size, or what the worker answers about it. */
const causesOfTask: readonly WorkerCallCause[] = ['too_large', 'bad_answer', 'broken_off', 'aborted'];

/** The worker has not taken the task, because of a fault between the worker and the gateway. */
export function notTaken(message: Wording, cause: WorkerCallCause): AttemptOutcome {
  if (cause === 'refused_size') return failed('too_large', message);
  const error = newTaskError(errorCodeOf('not_taken'), message);
  const against = causesOfTask.includes(cause) ? 'no_one' : 'everyone';
  return { kind: 'failed', failure: 'not_taken', error, against };
}

/** Returns what an execution that has ended on the worker means for the task. */
export function outcomeOfResult(
  result: ExecutionResult,
  { graph, wasAsked }: { graph: Graph; wasAsked: 'cancel' | 'give_back' | null },
): AttemptOutcome {
  if (result.end === 'succeeded') return { kind: 'succeeded', result };
  if (wasAsked === 'cancel') return { kind: 'cancelled' };
  if (wasAsked === 'give_back') return { kind: 'given_back' };
  if (result.end === 'interrupted') {
    return failed('lost', say('run_interrupted'), 'interrupted');
  }
  return outcomeOfExecutionError(result.error, graph);
}

function outcomeOfExecutionError(error: ExecutionError | null, graph: Graph): AttemptOutcome {
  if (!error) return failed('worker_error', say('run_failed_silently'));
  const codes = {
    node: 'execution_failed',
    out_of_memory: 'out_of_memory',
    device: 'device_error',
    host: 'device_error',
  } as const;
  const told = withNode(newTaskError(codes[error.kind], error.message), error.nodeId, graph);
  if (error.kind === 'host') return { kind: 'failed', failure: 'lost', error: told, against: 'host' };
  return { kind: 'failed', failure: error.kind === 'node' ? 'graph_error' : 'worker_error', error: told };
}

function nodeError(code: TaskErrorCode, fault: NodeFault): WordedTaskError {
  return newTaskError(code, fault.message);
}

function withNode(error: WordedTaskError, nodeId: string | null, graph: Graph): WordedTaskError {
  return nodeId === null ? error : { ...error, node: nodeId, nodeTitle: nodeTitle(graph, nodeId) };
}
