import { textOf } from '@switchyard/contract/sentences/sentences';
import { beforeEach, describe, expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import {
  type CancelOutcome,
  type ExecutionResult,
  type ReconcileOutcome,
  WorkerCallError,
  type WorkerClient,
} from '../worker-client/worker-client.ts';
import { executionTimeouts } from './execution-timeouts.ts';
import { ExecutionWatch, type WatchEnd } from './execution-watch.ts';

const promptId = 'own';
const success: ExecutionResult = {
  end: 'succeeded',
  error: null,
  files: [],
  texts: [],
  rejected: 0,
  cachedNodes: [],
};
const interrupted: ExecutionResult = { ...success, end: 'interrupted' };
const started = { type: 'run_started', promptId } as const;
const node = (nodeId: string) => ({ type: 'node_started', promptId, nodeId, topNodeId: nodeId }) as const;

class ScriptedClient {
  where: ReconcileOutcome | 'unreachable' | 'refusing' | 'behind_proxy' = { state: 'running' };
  onCancel: () => CancelOutcome = () => ({ outcome: 'stopping' });
  isConnected = true;
  framesHeard = 0;
  looks = 0;
  cancels = 0;
  reopened = 0;
  onReopen: () => void = () => undefined;

  async reconcile(): Promise<ReconcileOutcome> {
    this.looks += 1;
    this.#requireAnswer();
    if (typeof this.where === 'string') throw new Error('It answers.');
    return this.where;
  }

  async result(): Promise<ExecutionResult | null> {
    return typeof this.where !== 'string' && this.where.state === 'finished' ? this.where.result : null;
  }

  async cancel(): Promise<CancelOutcome> {
    this.cancels += 1;
    this.#requireAnswer();
    return this.onCancel();
  }

  #requireAnswer(): void {
    if (this.where === 'unreachable') throw new WorkerCallError('timed_out', 'It did not answer.');
    if (this.where === 'behind_proxy')
      throw new WorkerCallError('unreachable', 'It says 502.', { status: 502 });
    if (this.where === 'refusing') throw new WorkerCallError('refused', 'It refused.');
  }

  async reopen(): Promise<void> {
    this.reopened += 1;
    this.onReopen();
  }
}

let time: ManualTime;
let client: ScriptedClient;
let closing: AbortController;
let reportedRunning: number;
let hearing: string[];

beforeEach(() => {
  time = new ManualTime();
  client = new ScriptedClient();
  closing = new AbortController();
  reportedRunning = 0;
  hearing = [];
});

/** The end with its message as text. */
function told(end: WatchEnd | undefined) {
  return end && 'message' in end ? { ...end, message: textOf(end.message) } : end;
}

interface Watched {
  watch: ExecutionWatch;
  end: () => WatchEnd | undefined;
}

function watchExecution(timeLimitMs: number | null = null): Watched {
  const watch = new ExecutionWatch({
    client: client as unknown as WorkerClient,
    promptId,
    knownPromptId: null,
    steadyClock: time.now,
    timer: time.timer,
    timeouts: executionTimeouts,
    timeLimitMs,
    onRunning: () => {
      reportedRunning += 1;
    },
    onDeaf: (message) => hearing.push(textOf(message)),
    onHeard: () => hearing.push('heard'),
    signal: closing.signal,
  });
  let end: WatchEnd | undefined;
  void watch.untilOver().then((reached) => {
    end = reached;
  });
  return { watch, end: () => end };
}

async function pass(seconds: number): Promise<void> {
  for (let step = 0; step < seconds; step += 1) {
    time.advance(1_000);
    await settle();
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('an execution', () => {
  test('is over when the worker has settled it, without any question to the worker before', async () => {
    const { watch, end } = watchExecution();
    watch.notice(started);
    await pass(3);
    expect(client.looks).toBe(0);
    client.where = { state: 'finished', result: success };
    watch.notice({ type: 'run_settled', promptId });
    await settle();
    expect(end()).toEqual({ kind: 'over', result: success });
    expect(client.looks).toBe(0);
    expect(time.nextTimerMs).toBeNull();
  });

  test('is found by a regular look when its end was not heard', async () => {
    const { watch, end } = watchExecution();
    watch.notice(started);
    client.where = { state: 'finished', result: success };
    await pass(8);
    expect(end()).toEqual({ kind: 'over', result: success });
  });

  test('is looked for at once when the socket opens again', async () => {
    const { watch, end } = watchExecution();
    client.where = { state: 'finished', result: success };
    watch.notice({ type: 'socket_opened' });
    await settle();
    expect(end()).toMatchObject({ kind: 'over' });
  });

  test('of another client counts for nothing', async () => {
    const { watch, end } = watchExecution();
    watch.notice({ type: 'run_settled', promptId: 'other' });
    await pass(3);
    expect([end(), client.looks]).toEqual([undefined, 0]);
  });

  test('is lost when a restarted worker does not know it any more', async () => {
    const { watch, end } = watchExecution();
    client.where = { state: 'absent', isSameProcess: false };
    watch.notice({ type: 'worker_restarted' });
    await settle();
    expect(end()).toMatchObject({ kind: 'lost' });
  });

  test('leaves no trace when the worker does not know it and may be another process', async () => {
    const { watch, end } = watchExecution();
    client.where = { state: 'absent', isSameProcess: null };
    watch.lookFirst();
    await settle();
    expect(end()).toEqual({ kind: 'untraced' });
  });

  test('is lost when the worker has had it and does not know it any more', async () => {
    const { watch, end } = watchExecution();
    client.where = { state: 'absent', isSameProcess: null };
    watch.noteThere();
    watch.lookFirst();
    await settle();
    expect(end()).toMatchObject({ kind: 'lost' });
  });

  test('may be sent again when it was never taken', async () => {
    const { watch, end } = watchExecution();
    client.where = { state: 'absent', isSameProcess: true };
    watch.lookFirst();
    await pass(8);
    expect(end()).toEqual({ kind: 'never_taken' });
  });

  test('goes on while its worker is out of reach for a while, and is lost after half a minute', async () => {
    const { watch, end } = watchExecution();
    watch.notice(started);
    client.where = 'unreachable';
    await pass(30);
    client.where = { state: 'running' };
    await pass(5);
    expect(end()).toBeUndefined();
    client.where = 'unreachable';
    await pass(40);
    expect(told(end())).toEqual({ kind: 'lost', message: 'The worker cannot be reached any more.' });
  });

  test('is lost after three seconds on a worker that refuses connections, since its process is gone', async () => {
    const { watch, end } = watchExecution();
    watch.notice(started);
    client.where = 'refusing';
    watch.notice({ type: 'socket_closed' });
    await pass(2);
    expect(end()).toBeUndefined();
    await pass(2);
    expect(told(end())).toEqual({
      kind: 'lost',
      message: 'The worker refuses connections: its process is gone.',
    });
  });

  test('is lost after three seconds behind a proxy that cannot reach the worker', async () => {
    const { watch, end } = watchExecution();
    watch.notice(started);
    client.where = 'behind_proxy';
    watch.notice({ type: 'socket_closed' });
    await pass(2);
    expect(end()).toBeUndefined();
    await pass(2);
    expect(told(end())).toEqual({
      kind: 'lost',
      message: 'A proxy in front of the worker says that it cannot reach it.',
    });
  });

  test('waits longer behind such a proxy while it is not known whether the worker has the prompt', async () => {
    const { watch, end } = watchExecution();
    client.where = 'behind_proxy';
    watch.lookFirst();
    watch.notice({ type: 'socket_closed' });
    await pass(29);
    expect(end()).toBeUndefined();
    client.where = { state: 'finished', result: success };
    await pass(2);
    expect(end()).toEqual({ kind: 'over', result: success });
  });

  test('goes on when its worker refuses connections only for a moment', async () => {
    const { watch, end } = watchExecution();
    watch.notice(started);
    for (let round = 0; round < 5; round += 1) {
      client.where = 'refusing';
      watch.notice({ type: 'socket_closed' });
      await pass(2);
      client.where = { state: 'running' };
      await pass(2);
    }
    expect(end()).toBeUndefined();
  });

  test('counts as running when the worker executes it, not while it waits behind others', async () => {
    client.where = { state: 'waiting', ahead: 1 };
    const { watch } = watchExecution();
    watch.lookFirst();
    await pass(20);
    expect(reportedRunning).toBe(0);
    client.where = { state: 'running' };
    await pass(8);
    expect(reportedRunning).toBeGreaterThan(0);
  });

  test('is left alone when its runner has to stop', async () => {
    const { end } = watchExecution();
    closing.abort();
    await settle();
    expect(end()).toEqual({ kind: 'abandoned' });
    expect([client.cancels, time.nextTimerMs]).toEqual([0, null]);
  });
});

describe('a silent worker', () => {
  test('gets another socket when it does not start a prompt it took, then counts as stuck', async () => {
    const { end } = watchExecution();
    await pass(66);
    expect([client.reopened, end()]).toEqual([1, undefined]);
    await pass(25);
    expect(told(end())).toMatchObject({
      kind: 'stuck',
      message: expect.stringContaining('took the run and has not started it'),
    });
    expect(client.cancels).toBe(1);
  });

  test('that was only deaf goes on after that', async () => {
    const { watch, end } = watchExecution();
    client.onReopen = () => watch.notice(node('1'));
    await pass(66);
    expect(client.reopened).toBe(1);
    await pass(300);
    expect([client.reopened, end()]).toEqual([1, undefined]);
  });

  test('is stuck when it only names the same node again on the new socket', async () => {
    const { watch, end } = watchExecution();
    watch.notice(started);
    watch.notice(node('1'));
    client.onReopen = () => watch.notice(node('1'));
    await pass(630);
    expect(told(end())).toMatchObject({
      kind: 'stuck',
      message: expect.stringContaining('has given no sign'),
    });
  });

  test('is not judged while others are before the execution, nor while the socket is closed', async () => {
    const waiting = watchExecution();
    client.where = { state: 'waiting', ahead: 2 };
    await pass(3_600);
    expect([waiting.end(), client.reopened]).toEqual([undefined, 0]);
    client.where = { state: 'running' };
    client.isConnected = false;
    await pass(3_600);
    expect([waiting.end(), client.reopened]).toEqual([undefined, 0]);
  });
});

describe('a deaf socket', () => {
  test('is opened again a second after a prompt was taken without a message', async () => {
    const { watch, end } = watchExecution();
    watch.noteAccepted();
    await settle();
    client.onReopen = () => watch.notice({ type: 'socket_opened' });
    client.where = { state: 'finished', result: success };
    await pass(1);
    expect([client.reopened, end()]).toEqual([1, { kind: 'over', result: success }]);
    expect(hearing).toEqual([expect.stringContaining('open and silent when it took a task')]);
  });

  test('is not deaf when the worker sent any message, even one about its queue', async () => {
    client.where = { state: 'waiting', ahead: 1 };
    const { watch } = watchExecution();
    watch.noteAccepted();
    client.framesHeard += 1;
    await pass(60);
    expect([client.reopened, hearing]).toEqual([0, []]);
  });

  test('is opened again once for an execution that goes on', async () => {
    const { watch } = watchExecution();
    watch.noteAccepted();
    await pass(40);
    expect([client.reopened, hearing.length]).toEqual([1, 1]);
  });

  test('is opened again when an execution has ended without any event', async () => {
    const { watch, end } = watchExecution();
    watch.noteAccepted();
    client.framesHeard += 1;
    client.where = { state: 'finished', result: success };
    await pass(8);
    expect([client.reopened, end()]).toEqual([1, { kind: 'over', result: success }]);
    expect(hearing).toEqual([expect.stringContaining('told nothing of a run that has ended')]);
  });

  test('is forgotten once an execution was heard', async () => {
    const { watch, end } = watchExecution();
    watch.noteAccepted();
    client.framesHeard += 1;
    watch.notice(started);
    client.where = { state: 'finished', result: success };
    watch.notice({ type: 'run_settled', promptId });
    await settle();
    expect([end(), hearing]).toEqual([{ kind: 'over', result: success }, ['heard']]);
  });
});

describe('stopping', () => {
  test('takes an execution that waits on the worker out of its queue', async () => {
    const { watch, end } = watchExecution();
    client.onCancel = () => ({ outcome: 'removed' });
    watch.askToStop();
    await settle();
    expect(end()).toEqual({ kind: 'removed' });
  });

  test('asks once, and ends with what the worker then says', async () => {
    const { watch, end } = watchExecution();
    watch.notice(started);
    watch.askToStop();
    watch.askToStop();
    await pass(3);
    expect([client.cancels, end()]).toEqual([1, undefined]);
    client.where = { state: 'finished', result: interrupted };
    watch.notice({ type: 'run_settled', promptId });
    await settle();
    expect(end()).toEqual({ kind: 'over', result: interrupted });
  });

  test('does not wait for ever', async () => {
    const { watch, end } = watchExecution();
    watch.notice(started);
    watch.askToStop();
    await pass(22);
    expect(end()).toEqual({ kind: 'would_not_stop' });
  });

  test('is tried again when the worker could not be asked', async () => {
    const { watch } = watchExecution();
    client.where = 'unreachable';
    watch.askToStop();
    await pass(3);
    const tries = client.cancels;
    expect(tries).toBeGreaterThan(1);
    client.where = { state: 'running' };
    await pass(3);
    expect(client.cancels).toBe(tries + 1);
  });
});

describe('a time limit', () => {
  test('counts from the start of the execution and asks it to stop', async () => {
    const { watch, end } = watchExecution(10_000);
    client.where = { state: 'waiting', ahead: 1 };
    await pass(50);
    expect(client.cancels).toBe(0);
    client.where = { state: 'running' };
    watch.notice(started);
    await pass(10);
    expect(client.cancels).toBe(1);
    client.where = { state: 'finished', result: interrupted };
    await pass(2);
    expect(end()).toEqual({ kind: 'timed_out', hasStopped: true });
  });

  test('ends an execution on time even when the looks at the worker are rarer', async () => {
    const { watch } = watchExecution(1_000);
    await settle();
    watch.notice(started);
    await settle();
    await pass(1);
    expect(client.cancels).toBe(1);
  });

  test('also ends for an execution that is resumed', async () => {
    const { watch, end } = watchExecution(10_000);
    watch.notice(started);
    await pass(32);
    expect(end()).toEqual({ kind: 'timed_out', hasStopped: false });
  });

  test('does not turn a success into a failure', async () => {
    const { watch, end } = watchExecution(10_000);
    watch.notice(started);
    client.onCancel = () => ({ outcome: 'finished', result: success });
    await pass(11);
    expect(end()).toEqual({ kind: 'over', result: success });
  });
});
