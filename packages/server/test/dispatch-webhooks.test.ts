import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { startScriptedServer } from '@switchyard/dev-env/scripted-server';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../src/platform/telemetry/logger.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';

const workflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 255 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'hook' } },
};

interface Call {
  headers: IncomingHttpHeaders;
  body: string;
}

/** Answers each call with the next status, and repeats the last one for ever. */
class Receiver {
  readonly calls: Call[] = [];
  statuses = [200];
  readonly #server: Server;
  #wake: () => void = () => undefined;

  constructor() {
    this.#server = createServer((request, response) => {
      text(request).then(
        (body) => {
          this.calls.push({ headers: request.headers, body });
          const status = this.statuses.length > 1 ? this.statuses.shift() : this.statuses[0];
          response.writeHead(status ?? 200).end();
          this.#wake();
        },
        () => response.destroy(),
      );
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async call(index: number): Promise<Call> {
    for (;;) {
      const call = this.calls[index];
      if (call) return call;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#server.close();
  }
}

describe('webhooks', () => {
  let gateway: DevGateway;
  let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
  let user: DispatchCaller;

  beforeAll(async () => {
    gateway = await startGateway({ config: { dispatch: { webhooks_to_private_addresses: true } } });
    worker = await startReferenceWorker();
    const admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers([worker.port]);
    user = await DispatchCaller.register(gateway.url, 'user@example.com');
  });

  afterAll(async () => {
    await gateway.stop();
    await worker.close();
  });

  const deliveriesOf = async (id: string) =>
    (await user.call('GET', `/api/webhooks/${id}/deliveries`)).data.items;
  const untilNotWaiting = async (id: string) => {
    for (;;) {
      const [latest] = await deliveriesOf(id);
      if (latest && latest.status !== 'waiting') return latest;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('call when a task ends, signed so that a stock library verifies it', async () => {
    const receiver = new Receiver();
    const { data: hook } = await user.call('POST', '/api/webhooks', { url: await receiver.listen() });
    expect(hook).toMatchObject({ enabled: true, failures: 0, secret: expect.stringMatching(/^whsec_/) });
    expect((await user.call('GET', `/api/webhooks/${hook.id}`)).data.secret).toBeUndefined();

    const { data: task } = await user.call('POST', '/api/tasks', { workflow });
    const { headers, body } = await receiver.call(0);
    const payload = new Webhook(hook.secret).verify(body, headers as Record<string, string>);
    expect(payload).toMatchObject({
      type: 'task.completed',
      data: { taskId: task.id, status: 'completed', files: [expect.stringContaining('/uploads/')] },
    });
    expect(await untilNotWaiting(hook.id)).toMatchObject({
      id: headers['webhook-id'],
      status: 'delivered',
      attempts: 1,
      responseStatus: 200,
    });
    await user.call('DELETE', `/api/webhooks/${hook.id}`);
    receiver.close();
  });

  it('are switched off by an answer of 410, and show that they are', async () => {
    const receiver = new Receiver();
    receiver.statuses = [410];
    const { data: hook } = await user.call('POST', '/api/webhooks', { url: await receiver.listen() });
    await user.call('POST', '/api/tasks', { workflow });
    expect(await untilNotWaiting(hook.id)).toMatchObject({ status: 'failed', responseStatus: 410 });
    expect((await user.call('GET', `/api/webhooks/${hook.id}`)).data).toMatchObject({
      enabled: false,
      failures: 1,
    });
    receiver.close();
  });

  it('keep undelivered calls, and send them again on request', async () => {
    const receiver = new Receiver();
    receiver.statuses = [500, 200];
    const { data: hook } = await user.call('POST', '/api/webhooks', { url: await receiver.listen() });
    await user.call('POST', '/api/tasks', { workflow });
    const first = await receiver.call(0);
    let [delivery] = await deliveriesOf(hook.id);
    while (delivery.attempts === 0) [delivery] = await deliveriesOf(hook.id);
    expect(delivery).toMatchObject({ status: 'waiting', responseStatus: 500, lastError: 'It answered 500.' });
    expect(delivery.lastErrorSentences).toEqual([{ code: 'answered', values: { status: '500' } }]);
    await user.call('POST', `/api/webhooks/${hook.id}/deliveries/${delivery.id}/retry`);
    const second = await receiver.call(1);
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(await untilNotWaiting(hook.id)).toMatchObject({ status: 'delivered', lastError: null });
    receiver.close();
  });

  it('call the address that a task names, also when it is cancelled', async () => {
    const receiver = new Receiver();
    const url = await receiver.listen();
    const { data: task } = await user.call('POST', '/api/tasks', {
      workflow,
      webhook: { url },
      pool: 'nobody',
    });
    await user.call('DELETE', `/api/tasks/${task.id}`);
    const { headers, body } = await receiver.call(0);
    expect(JSON.parse(body)).toMatchObject({ type: 'task.failed', data: { error: { code: 'cancelled' } } });
    expect(headers['webhook-signature']).toBeUndefined();
    receiver.close();
  });

  it('are tested by a signed call that says how the receiver took it, and counts as no delivery', async () => {
    const receiver = new Receiver();
    const { data: hook } = await user.call('POST', '/api/webhooks', { url: await receiver.listen() });
    await user.call('PUT', `/api/webhooks/${hook.id}`, { enabled: false });
    const path = `/api/webhooks/${hook.id}/test`;

    const { data: test } = await user.call('POST', path);
    const { headers, body } = await receiver.call(0);
    expect(new Webhook(hook.secret).verify(body, headers as Record<string, string>)).toMatchObject({
      type: 'webhook.test',
      data: { webhookId: hook.id },
    });
    expect(test).toMatchObject({
      id: headers['webhook-id'],
      delivered: true,
      responseStatus: 200,
      error: null,
    });

    receiver.statuses = [410];
    expect((await user.call('POST', path)).data).toMatchObject({
      delivered: false,
      responseStatus: 410,
      error: 'It answered 410.',
    });
    receiver.close();
    expect((await user.call('POST', path)).data).toMatchObject({
      delivered: false,
      responseStatus: null,
      error: 'Nothing listens at the address of the receiver. (ECONNREFUSED)',
      errorSentences: [{ code: 'receiver_refused', values: { detail: 'ECONNREFUSED' } }],
    });
    expect((await user.call('GET', `/api/webhooks/${hook.id}`)).data).toMatchObject({ failures: 0 });
    expect(await deliveriesOf(hook.id)).toEqual([]);
  });

  it('call an address whose scheme is written in capitals over TLS', async () => {
    const receiver = await startScriptedServer((_request, response) => response.end(), { tls: true });
    const greeted = once(receiver.server, 'tlsClientError');
    const url = `HTTPS://127.0.0.1:${receiver.port}/hook`;
    const { data: hook } = await user.call('POST', '/api/webhooks', { url });
    const answer = await user.call('POST', `/api/webhooks/${hook.id}/test`);
    // The receiver's certificate is one that no system trusts.
    expect(answer).toMatchObject({
      code: 200,
      data: { delivered: false, error: expect.stringContaining('certificate') },
    });
    await greeted;
    await user.call('DELETE', `/api/webhooks/${hook.id}`);
    await receiver.close();
  });

  it('belong to their user alone', async () => {
    const { data: hook } = await user.call('POST', '/api/webhooks', { url: 'https://example.com/hook' });
    const other = await DispatchCaller.register(gateway.url, 'other@example.com');
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', { enabled: false }],
      ['GET', '/deliveries', undefined],
      ['POST', '/test', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      const answer = await other.call(method, `/api/webhooks/${hook.id}${path}`, body);
      expect(answer).toMatchObject({ code: 404, error: 'webhook_not_found' });
    }
    expect((await other.call('GET', '/api/webhooks')).data).toEqual([]);
  });
});

describe('webhooks that are not delivered', () => {
  it('are in the log with the cause and without a stack, and again when they are given up', async () => {
    const lines: Record<string, unknown>[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const logger = createLogger({ level: 'warn', format: 'json', destination });
    const gateway = await startGateway({
      logger,
      config: { dispatch: { webhooks_to_private_addresses: true } },
    });
    const user = await DispatchCaller.register(gateway.url, 'user@example.com');
    const receiver = new Receiver();
    receiver.statuses = [500, 410];
    const { data: hook } = await user.call('POST', '/api/webhooks', { url: await receiver.listen() });
    for (const index of [0, 1]) {
      const { id } = await user.submit({ workflow, pool: 'nobody' });
      await user.call('DELETE', `/api/tasks/${id}`);
      await receiver.call(index);
    }
    const failed = () => lines.find(({ msg }) => msg === 'A job failed');
    await expect.poll(failed).toMatchObject({
      kind: 'dispatch.deliver-webhook',
      reason: expect.stringMatching(/was not delivered: It answered 500\.$/),
    });
    expect(JSON.stringify(failed())).not.toContain('stack');
    await expect
      .poll(() => lines.find(({ msg }) => msg === 'a webhook was given up'))
      .toMatchObject({
        webhookId: hook.id,
        reason: 'It answered 410.',
      });
    const metrics = async () => (await gateway.fetch('/metrics')).text();
    await expect.poll(metrics).toContain('switchyard_webhook_calls_total{source="task",outcome="failed"} 1');
    expect(await metrics()).toContain('switchyard_webhook_calls_total{source="task",outcome="retried"} 1');
    await expect.poll(metrics).toContain('switchyard_webhooks_waiting{source="task"} 1');
    expect(await metrics()).toContain(
      'switchyard_job_failures_total{kind="dispatch.deliver-webhook",outcome="retried"} 1',
    );
    receiver.close();
    await gateway.stop();
  });
});

describe('webhooks of a gateway that does not allow private addresses', () => {
  it.each([
    'http://127.0.0.1/hook',
    'http://[::ffff:10.0.0.1]/hook',
    'http://169.254.169.254/latest',
    'http://0x7f000001/hook',
    'ftp://example.com/hook',
    'https://user:secret@example.com/hook',
    'nonsense',
  ])('refuse %s with the reason', async (url) => {
    const gateway = await startGateway();
    const user = await DispatchCaller.register(gateway.url, 'user@example.com');
    const answer = await user.call('POST', '/api/webhooks', { url });
    expect(answer).toMatchObject({ code: 422, error: 'webhook_url_denied' });
    expect(answer.message).toMatch(/^body\.url: This address may not be called: ./);
    const [fault] = answer.details;
    const codes = fault.sentences.map(({ code }: { code: string }) => code);
    expect([fault.path, codes[0], codes.includes('quote')]).toEqual(['body.url', 'address_denied', false]);
    expect(codes.length).toBeGreaterThan(1);
    await gateway.stop();
  });

  it('name the field of a task whose own webhook is refused', async () => {
    const gateway = await startGateway();
    const user = await DispatchCaller.register(gateway.url, 'user@example.com');
    const webhook = { url: 'http://10.0.0.1/hook' };
    const answer = await user.call('POST', '/api/tasks', { workflow, webhook });
    expect(answer).toMatchObject({ code: 422, error: 'webhook_url_denied' });
    expect(answer.details).toMatchObject([{ path: 'body.webhook.url' }]);
    await gateway.stop();
  });

  it('name the setting that would allow an address, if there is one', async () => {
    const gateway = await startGateway();
    const user = await DispatchCaller.register(gateway.url, 'user@example.com');
    const messageOf = async (url: string): Promise<string> =>
      (await user.call('POST', '/api/webhooks', { url })).message;
    expect(await messageOf('http://10.0.0.1/hook')).toContain('dispatch.webhooks_to_private_addresses');
    expect(await messageOf('http://169.254.169.254/')).not.toContain('webhooks_to_private_addresses');
    await gateway.stop();
  });
});
