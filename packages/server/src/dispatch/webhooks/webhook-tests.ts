import type { WebhookTest, WebhookTestPayload } from '@switchyard/contract/dispatch/webhook';
import { say, sentencesOf, textOf } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { toIso } from '../../lib/clock.ts';
import { newTimeOrderedId } from '../../lib/ids.ts';
import type { Owner } from '../../lib/owner.ts';
import type { HostPolicy } from '../../platform/outbound/host-rules.ts';
import { postWebhook } from '../../platform/outbound/webhook-call.ts';
import { webhookHeaders } from '../../platform/outbound/webhook-signature.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { WebhookRow, WebhookStore } from './webhook-store.ts';

/** Calls webhooks on request, to show their users whether the receivers work. */
export class WebhookTests {
  readonly #options;
  /** By webhook. A webhook has one test at a time, so its user cannot make many calls out of many requests. */
  readonly #running = new Map<string, Promise<WebhookTest>>();

  constructor(
    options: Pick<DispatchParts, 'outbound' | 'clock' | 'steadyClock'> & {
      store: Pick<WebhookStore, 'get'>;
      policy: HostPolicy;
    },
  ) {
    this.#options = options;
  }

  /** Requests that come while a test of the webhook goes on get the result of that test. */
  async run(owner: Owner, webhookId: string): Promise<WebhookTest> {
    const row = await this.#options.store.get(owner, webhookId);
    if (!row) throw new AppError('webhook_not_found');
    const running = this.#running.get(webhookId) ?? this.#call(row);
    this.#running.set(webhookId, running);
    try {
      return await running;
    } finally {
      this.#running.delete(webhookId);
    }
  }

  async #call({ id: webhookId, url, secret }: WebhookRow): Promise<WebhookTest> {
    const { policy, outbound, clock, steadyClock } = this.#options;
    const id = newTimeOrderedId(clock());
    const payload: WebhookTestPayload = {
      type: 'webhook.test',
      timestamp: toIso(clock()),
      data: { webhookId },
    };
    const body = JSON.stringify(payload);
    const timestamp = Math.floor(clock() / 1000);
    const startedAt = steadyClock();
    const headers = webhookHeaders({ id, timestamp, body }, secret);
    const outcome = await postWebhook(outbound, url, {
      headers,
      body,
      policy,
      signal: new AbortController().signal,
    });
    const latencyMs = Math.round(steadyClock() - startedAt);
    if ('error' in outcome) {
      const error = textOf(outcome.error);
      const errorSentences = sentencesOf(outcome.error);
      return { id, delivered: false, responseStatus: null, error, errorSentences, latencyMs };
    }
    const { status } = outcome;
    const delivered = status >= 200 && status < 300;
    const errorSentences = delivered ? [] : say('answered', { status });
    const error = delivered ? null : textOf(errorSentences);
    return { id, delivered, responseStatus: status, error, errorSentences, latencyMs };
  }
}
