import { textOf, type Wording } from '@switchyard/contract/sentences/sentences';
import { type Clock, toIso } from '../../../lib/clock.ts';
import { minuteMs, secondMs } from '../../../lib/time-units.ts';
import type { WriteTransaction } from '../../../platform/database/database.ts';
import { type Job, type Jobs, JobUnsettled } from '../../../platform/jobs/jobs.ts';
import type { Metrics } from '../../../platform/telemetry/metrics.ts';
import type { RunRow } from '../../tables.ts';
import { failureOf } from '../records/run.ts';
import { refusal, unsupported } from '../records/run-request.ts';
import { viewRun } from '../records/run-view.ts';

type CallOutcome = { status: number } | { error: Wording };

interface WebhookCall {
  headers: Record<string, string>;
  body: string;
  userId: string | null;
  /** Reads what the operator's own authentication said about the user; null for users with a credential of the gateway. */
  authUser: () => Promise<Record<string, unknown> | null>;
  signal: AbortSignal;
}

/** Calls addresses that users name: no private networks, no redirects, deadlines. */
export interface WebhookCaller {
  /** Returns what is wrong with an address, as a sentence; null when it may be called. */
  whyDenied: (url: string) => Wording | null;
  post: (url: string, call: WebhookCall) => Promise<CallOutcome>;
}

const kind = 'conversation.call-run-webhook';
const retryDelaysMs = [5 * secondMs, minuteMs, 5 * minuteMs, 30 * minuteMs, 120 * minuteMs];
const gone = 410;

/** One call for each run that asked for it. It is planned with the end of the run, so that none is forgotten. */
export class RunWebhooks {
  readonly #options;

  constructor(options: {
    jobs: Pick<Jobs, 'register' | 'enqueue' | 'wake' | 'countWaiting'>;
    metrics: Pick<Metrics, 'webhookCalls' | 'webhooksWaiting' | 'fill'>;
    /** Null when webhooks are off. */
    caller: WebhookCaller | null;
    find: (runId: string) => Promise<RunRow | undefined>;
    valuesOf: (run: RunRow) => Promise<Record<string, unknown>>;
    /** Returns what the operator's own authentication said about the user who started the run. */
    authUserOf: (runId: string) => Promise<Record<string, unknown> | null>;
    /** For a thread that is deleted with its run: called when the webhook has been called, or never will be. */
    deleteThread: (run: RunRow) => Promise<void>;
    /** Null when nothing is traced. */
    traceparentOf: ((runId: string) => Promise<string>) | null;
    clock: Clock;
  }) {
    this.#options = options;
    const { jobs, metrics } = options;
    jobs.register(kind, (job) => this.#call(job), { concurrency: 8, retryDelaysMs });
    metrics.fill(metrics.webhooksWaiting, () => jobs.countWaiting(kind), { source: 'run' });
  }

  requireCallable(url: string): void {
    const { caller } = this.#options;
    if (!caller) throw unsupported('webhook', url);
    const why = caller.whyDenied(url);
    if (why) {
      const message = `Value error, this address may not be called. ${textOf(why)}`;
      throw refusal({ path: ['webhook'], type: 'value_error', message, input: url });
    }
  }

  /** Part of the unit that ends the run. */
  async plan(trx: WriteTransaction<unknown>, { run_id, webhook }: RunRow): Promise<void> {
    if (webhook === null) return;
    await this.#options.jobs.enqueue(trx, { kind, key: run_id, payload: { runId: run_id } });
  }

  ended({ webhook }: RunRow): void {
    if (webhook !== null) this.#options.jobs.wake(kind);
  }

  async #call({ payload, attempt, signal }: Job): Promise<void> {
    const { caller, find, deleteThread, traceparentOf } = this.#options;
    const run = await find(String(payload.runId));
    if (!run || run.webhook === null || !caller) return;
    const { webhook, user_id: userId } = run;
    const authUser = () => this.#options.authUserOf(run.run_id);
    const body = await this.#body(run);
    const headers: WebhookCall['headers'] = traceparentOf
      ? { traceparent: await traceparentOf(run.run_id) }
      : {};
    const outcome = await caller.post(webhook, { headers, body, userId, authUser, signal });
    const fault = faultOf(outcome);
    const isLast = fault === null || attempt > retryDelaysMs.length;
    this.#options.metrics.webhookCalls.inc({ source: 'run', outcome: labelOf(outcome, { isLast }) });
    if (isLast && run.delete_thread === 2) await deleteThread(run);
    if (fault) throw new JobUnsettled(`The webhook of run ${run.run_id} was not delivered: ${fault}`);
  }

  async #body(run: RunRow): Promise<string> {
    const failure = failureOf(run);
    return JSON.stringify({
      ...viewRun(run),
      run_started_at: run.started_at,
      run_ended_at: run.ended_at,
      webhook_sent_at: toIso(this.#options.clock()),
      values: await this.#options.valuesOf(run),
      error: failure && { error: failure.name, message: failure.message },
    });
  }
}

function labelOf(outcome: CallOutcome, { isLast }: { isLast: boolean }): string {
  if (!isLast) return 'retried';
  return 'status' in outcome && isDelivered(outcome.status) ? 'delivered' : 'failed';
}

/** Returns null when no further attempt is needed: the address was called, or wants no more calls. */
function faultOf(outcome: CallOutcome): string | null {
  if ('error' in outcome) return textOf(outcome.error);
  const { status } = outcome;
  return isDelivered(status) || status === gone ? null : `It answered ${status}.`;
}

function isDelivered(status: number): boolean {
  return status >= 200 && status < 300;
}
