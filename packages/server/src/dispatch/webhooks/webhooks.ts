import type { TaskError } from '@switchyard/contract/dispatch/task';
import type { TaskWebhook } from '@switchyard/contract/dispatch/tasks';
import type {
  Delivery,
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookEvent,
  WebhookPayload,
} from '@switchyard/contract/dispatch/webhook';
import { webhookEvents } from '@switchyard/contract/dispatch/webhook';
import { say, textOf } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { toIso } from '../../lib/clock.ts';
import { newTimeOrderedId } from '../../lib/ids.ts';
import type { Owner } from '../../lib/owner.ts';
import { hourMs, minuteMs, secondMs } from '../../lib/time-units.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import { type Job, JobUnsettled } from '../../platform/jobs/jobs.ts';
import type { HostPolicy } from '../../platform/outbound/host-rules.ts';
import { postWebhook, whyUrlDenied } from '../../platform/outbound/webhook-call.ts';
import { newWebhookSecret, webhookHeaders } from '../../platform/outbound/webhook-signature.ts';
import { traceparentWithin } from '../../platform/telemetry/trace-ids.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import { sentencesColumn, storedSentences } from '../stored-sentences.ts';
import type { DispatchTables, TaskRow } from '../tables.ts';
import { taskErrorOf } from '../tasks/task-messages.ts';
import { viewResult } from '../tasks/task-view.ts';
import {
  type DeliveryRow,
  insertDelivery,
  type WebhookRow,
  type WebhookStore,
  webhooksFor,
} from './webhook-store.ts';

const deliver = 'dispatch.deliver-webhook';
/** The delays that Standard Webhooks recommends; after the last one a delivery has failed. */
const retryDelaysMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
];
const maxPerUser = 50;
/** This many failed deliveries in a row switch a webhook off. */
const failuresToDisable = 20;
/** A call stays below 20 kB: further outputs must be read from the task. */
const maxFilesInCall = 20;
const gone = 410;

/**
 * Users' own addresses that are called when their tasks end. A call is stored with the end of its task, so none is
 * forgotten.
 */
export class Webhooks {
  readonly #options;
  /** Tasks with a call that no job was woken for yet. */
  readonly #toWake = new Set<string>();

  constructor(
    options: Pick<
      DispatchParts,
      'outbound' | 'jobs' | 'links' | 'audit' | 'metrics' | 'traces' | 'clock' | 'log'
    > & {
      store: WebhookStore;
      policy: HostPolicy;
    },
  ) {
    this.#options = options;
    const { jobs, metrics } = options;
    jobs.register(deliver, (job) => this.#deliver(job), { concurrency: 8, retryDelaysMs });
    metrics.fill(metrics.webhooksWaiting, () => jobs.countWaiting(deliver), { source: 'task' });
  }

  async create(actor: Actor, input: NewWebhook): Promise<Webhook & { secret: string }> {
    const { store, audit, clock } = this.#options;
    this.requireCallable(input.url, ['url']);
    const secret = newWebhookSecret();
    const at = toIso(clock());
    const row: WebhookRow = {
      id: newTimeOrderedId(clock()),
      owner: actor.id,
      url: input.url,
      events: JSON.stringify(input.events ?? webhookEvents),
      secret,
      enabled: 1,
      failures: 0,
      createdAt: at,
      updatedAt: at,
    };
    const alongside = audit.part(actor, {
      action: 'webhook.created',
      target: ['webhook', row.id],
      details: { host: hostOf(row.url) },
    });
    await store.insert({ user: actor.id }, row, { max: maxPerUser, alongside });
    return { ...viewWebhook(row), secret };
  }

  async list(owner: Owner): Promise<Webhook[]> {
    return (await this.#options.store.list(owner)).map(viewWebhook);
  }

  async get(owner: Owner, webhookId: string): Promise<Webhook> {
    const row = await this.#options.store.get(owner, webhookId);
    if (!row) throw new AppError('webhook_not_found');
    return viewWebhook(row);
  }

  async change(actor: Actor, webhookId: string, change: WebhookChange): Promise<Webhook> {
    const owner = { user: actor.id };
    if (change.url !== undefined) this.requireCallable(change.url, ['url']);
    const columns = {
      ...(change.url !== undefined && { url: change.url }),
      ...(change.events !== undefined && { events: JSON.stringify(change.events) }),
      ...(change.enabled !== undefined && { enabled: change.enabled ? 1 : 0, failures: 0 }),
      updatedAt: toIso(this.#options.clock()),
    };
    const alongside = this.#options.audit.part(actor, {
      action: 'webhook.changed',
      target: ['webhook', webhookId],
      details: {
        fields: Object.keys(change),
        host: change.url === undefined ? undefined : hostOf(change.url),
      },
    });
    const changed = await this.#options.store.change(owner, webhookId, { columns, alongside });
    if (!changed) throw new AppError('webhook_not_found');
    return this.get(owner, webhookId);
  }

  async delete(actor: Actor, webhookId: string): Promise<void> {
    const { store, audit } = this.#options;
    const alongside = audit.part(actor, { action: 'webhook.deleted', target: ['webhook', webhookId] });
    if (!(await store.delete({ user: actor.id }, webhookId, alongside)))
      throw new AppError('webhook_not_found');
  }

  async deliveries(
    owner: Owner,
    webhookId: string,
    page: { limit: number; offset: number },
  ): Promise<{ total: number; items: Delivery[] }> {
    await this.get(owner, webhookId);
    const { total, rows } = await this.#options.store.deliveries(owner, webhookId, page);
    return { total, items: rows.map(viewDelivery) };
  }

  async redeliver(owner: Owner, webhookId: string, deliveryId: string): Promise<Delivery> {
    await this.get(owner, webhookId);
    const row = await this.#options.store.delivery(deliveryId);
    if (row?.webhookId !== webhookId) throw new AppError('delivery_not_found');
    const at = toIso(this.#options.clock());
    await this.#options.store.note(row, { status: 'waiting' }, { failures: 'keep', disable: false, at });
    await this.#options.jobs.add({ kind: deliver, key: row.id, payload: { deliveryId: row.id } });
    return viewDelivery({ ...row, status: 'waiting' });
  }

  /** Throws for an address that may not be called, with the path of its field in the body. */
  requireCallable(url: string, path: string[]): void {
    const why = whyUrlDenied(url, this.#options.policy);
    if (why === null) return;
    const message = say('address_denied', { cause: why });
    throw new AppError('webhook_url_denied', {
      faults: [{ in: 'body', path, type: 'value_error', message }],
    });
  }

  /** Part of the write that ends a task. Call `wake` after the commit. */
  async enqueue(trx: WriteTransaction<DispatchTables>, task: TaskRow): Promise<void> {
    const event: WebhookEvent = task.status === 'completed' ? 'task.completed' : 'task.failed';
    const hooks = await webhooksFor(trx, { owner: task.owner, event });
    const own = task.webhook === null ? null : (JSON.parse(task.webhook) as TaskWebhook);
    const targets = [
      ...hooks.map(({ id, url, secret }) => ({ webhookId: id, url, secret })),
      ...(own ? [{ webhookId: null, url: own.url, secret: own.secret ?? null }] : []),
    ];
    if (targets.length > 0) this.#toWake.add(task.id);
    for (const target of targets) {
      const row = this.#newDelivery(task, { event, ...target });
      await insertDelivery(trx, row);
      await this.#options.jobs.enqueue(trx, { kind: deliver, key: row.id, payload: { deliveryId: row.id } });
    }
  }

  wake(taskId: string): void {
    if (this.#toWake.delete(taskId)) this.#options.jobs.wake(deliver);
  }

  #newDelivery(
    task: TaskRow,
    target: { event: WebhookEvent; webhookId: string | null; url: string; secret: string | null },
  ): DeliveryRow {
    const { clock } = this.#options;
    return {
      id: newTimeOrderedId(clock()),
      owner: task.owner,
      taskId: task.id,
      ...target,
      payload: JSON.stringify(this.#payloadOf(task, target.event)),
      status: 'waiting',
      attempts: 0,
      responseStatus: null,
      lastError: null,
      lastErrorSentences: null,
      createdAt: toIso(clock()),
      deliveredAt: null,
    };
  }

  #payloadOf(task: TaskRow, type: WebhookEvent): WebhookPayload & { data: Record<string, unknown> } {
    const result = viewResult(task, (file) => this.#options.links.to(file));
    const { id, status, name, instanceId, attempt, finishedAt } = task;
    return {
      type,
      timestamp: toIso(this.#options.clock()),
      data: {
        taskId: id,
        status,
        name,
        instanceId,
        attempt,
        finishedAt,
        error: errorInCall(task),
        files: result?.files.slice(0, maxFilesInCall) ?? [],
        fileCount: result?.files.length ?? 0,
      },
    };
  }

  async #deliver({ payload, attempt, signal }: Job): Promise<void> {
    const { store, policy, outbound, metrics, traces, clock, log } = this.#options;
    const row = await store.delivery(String(payload.deliveryId));
    if (row?.status !== 'waiting') return;
    const timestamp = Math.floor(clock() / 1000);
    const outcome = await postWebhook(outbound, row.url, {
      headers: {
        ...webhookHeaders({ id: row.id, timestamp, body: row.payload }, row.secret),
        ...(traces && {
          traceparent: traceparentWithin(await store.traceparentOfTask(row.taskId), row.taskId),
        }),
      },
      body: row.payload,
      policy,
      signal,
    });
    const at = toIso(clock());
    const responseStatus = 'status' in outcome ? outcome.status : null;
    const tried = { attempts: row.attempts + 1, responseStatus };
    if (responseStatus !== null && responseStatus >= 200 && responseStatus < 300) {
      const noError = { lastError: null, lastErrorSentences: null };
      const delivered = { ...tried, ...noError, status: 'delivered', deliveredAt: at } as const;
      await store.note(row, delivered, { failures: 'reset', disable: false, at });
      metrics.webhookCalls.inc({ source: 'task', outcome: 'delivered' });
      return;
    }
    const why = 'error' in outcome ? outcome.error : say('answered', { status: responseStatus ?? 0 });
    const lastError = textOf(why);
    const error = { lastError, lastErrorSentences: sentencesColumn(why) };
    const isLast = responseStatus === gone || attempt > retryDelaysMs.length;
    const failures = await this.#failuresOf(row);
    const disable = responseStatus === gone || failures + 1 >= failuresToDisable;
    const status = isLast ? ('failed' as const) : ('waiting' as const);
    await store.note(row, { ...tried, ...error, status }, { failures: 'count', disable, at });
    metrics.webhookCalls.inc({ source: 'task', outcome: isLast ? 'failed' : 'retried' });
    // The job runner reports the error and tries again.
    if (!isLast) throw new JobUnsettled(`The webhook for task ${row.taskId} was not delivered: ${lastError}`);
    const { id: deliveryId, taskId, webhookId } = row;
    const facts = { deliveryId, taskId, webhookId, attempts: tried.attempts, isDisabled: disable };
    log.warn({ ...facts, reason: lastError }, 'a webhook was given up');
  }

  async #failuresOf({ owner, webhookId }: DeliveryRow): Promise<number> {
    if (webhookId === null) return 0;
    return (await this.#options.store.get({ user: owner }, webhookId))?.failures ?? 0;
  }
}

/** Receivers get the text alone. */
function errorInCall(task: TaskRow): TaskError | null {
  const error = taskErrorOf(task);
  if (error === null) return null;
  const { sentences, ...told } = error;
  return told;
}

/** A path or a query may hold a secret of the receiver, so that a record names the host alone. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

function viewWebhook({ id, url, events, enabled, failures, createdAt, updatedAt }: WebhookRow): Webhook {
  const parsed = JSON.parse(events) as WebhookEvent[];
  return { id, url, events: parsed, enabled: enabled === 1, failures, createdAt, updatedAt };
}

function viewDelivery(row: DeliveryRow): Delivery {
  const { id, event, taskId, status, attempts, responseStatus, lastError, createdAt, deliveredAt } = row;
  const lastErrorSentences = storedSentences(lastError, row.lastErrorSentences);
  const told = { responseStatus, lastError, lastErrorSentences };
  return { id, event, taskId, status, attempts, ...told, createdAt, deliveredAt };
}
