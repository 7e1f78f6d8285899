import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestGraph } from './graphs.ts';
import { Listener } from './listener.ts';
import { NotObservable } from './not-observable.ts';
import { signalAfter } from './patience.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of a foreign server are looked at field by field.
export type Answer = any;

export interface SubjectOptions {
  url: string;
  /** Sent with each request, such as the credentials for a proxy. */
  headers?: Record<string, string>;
  /** Restarts the server at the same address, with nothing in memory. */
  restart?: () => Promise<void>;
  /**
   * The maximum length of one wait, for a worker that computes slowly. Infinite when the caller has a limit of its own.
   */
  patienceMs?: number;
}

/** The server under test, as any client sees it. It has to be idle, and no other client may use it during the test. */
export class Subject {
  readonly url: string;
  readonly #headers: Record<string, string>;
  readonly #restart: (() => Promise<void>) | undefined;
  readonly #patienceMs: number;
  readonly #listeners: Listener[] = [];

  constructor({ url, headers = {}, restart, patienceMs = Number.POSITIVE_INFINITY }: SubjectOptions) {
    this.url = url.replace(/\/+$/, '');
    this.#headers = headers;
    this.#restart = restart;
    this.#patienceMs = patienceMs;
  }

  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...this.#headers, ...(init.headers as Record<string, string>) };
    return await fetch(`${this.url}${path}`, { ...signalAfter(this.#patienceMs), ...init, headers });
  }

  async json(path: string): Promise<Answer> {
    const response = await this.request(path);
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}.`);
    return await response.json();
  }

  async post(path: string, body: unknown): Promise<Response> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return await this.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    });
  }

  /** Returns the answer of POST /prompt, whatever it is. */
  async submit(
    prompt: TestGraph,
    rest: Record<string, unknown> = {},
  ): Promise<{ status: number; body: Answer }> {
    const response = await this.post('/prompt', { prompt, ...rest });
    return { status: response.status, body: parsed(await response.text()) };
  }

  /** Submits, expects a 200, and returns the prompt id. */
  async accept(prompt: TestGraph, rest: Record<string, unknown> = {}): Promise<string> {
    const { status, body } = await this.submit(prompt, { prompt_id: randomUUID(), ...rest });
    if (status !== 200) throw new Error(`POST /prompt answered ${status}: ${JSON.stringify(body)}`);
    return body.prompt_id as string;
  }

  /** Runs a prompt to its end and returns the history entry. */
  async run(prompt: TestGraph, rest: Record<string, unknown> = {}): Promise<Answer> {
    return await this.finished(await this.accept(prompt, rest));
  }

  async finished(promptId: string): Promise<Answer> {
    return await this.eventually(`${promptId} in history`, async () => {
      const history = await this.json(`/history/${encodeURIComponent(promptId)}`);
      return history[promptId];
    });
  }

  async running(promptId: string): Promise<void> {
    await this.eventually(`${promptId} to run`, async () => {
      const { queue_running } = await this.json('/queue');
      return queue_running.some((tuple: Answer) => tuple[1] === promptId) || undefined;
    });
  }

  async idle(): Promise<void> {
    await this.eventually('an empty queue', async () => {
      const { exec_info } = await this.json('/prompt');
      return exec_info.queue_remaining === 0 || undefined;
    });
  }

  async listen(clientId: string | undefined = randomUUID()): Promise<Listener> {
    const listener = await Listener.open(this.url, {
      clientId,
      headers: this.#headers,
      patienceMs: this.#patienceMs,
    });
    this.#listeners.push(listener);
    return listener;
  }

  async upload(
    fields: Record<string, string>,
    { name, bytes, path = '/upload/image' }: { name: string; bytes: Uint8Array; path?: string },
  ): Promise<Response> {
    const form = new FormData();
    form.set('image', new Blob([new Uint8Array(bytes)]), name);
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    return await this.request(path, { method: 'POST', body: form });
  }

  async needNodes(...names: string[]): Promise<void> {
    for (const name of names)
      if (!(name in (await this.json(`/object_info/${name}`))))
        throw new NotObservable(`it has no node ${name}`);
  }

  /** Breaks the server on purpose. The faults end after the fact. */
  async breakIt(switches: Record<string, unknown>): Promise<void> {
    const response = await this.post('/reference/faults', switches).catch(() => undefined);
    if (response?.status !== 200)
      throw new NotObservable('it has no fault switches (a reference worker with --faults)');
  }

  async restart(): Promise<void> {
    if (this.#restart === undefined) throw new NotObservable('it cannot be restarted from here');
    await this.#restart();
    await this.eventually('the server to answer again', async () => {
      const response = await this.request('/prompt').catch(() => undefined);
      return response?.ok || undefined;
    });
  }

  /** Called after each fact: stops prompts, closes listeners and ends faults. */
  async tidy(): Promise<void> {
    await Promise.all(this.#listeners.splice(0).map((listener) => listener.close()));
    await this.request('/reference/faults', { method: 'DELETE' }).catch(() => undefined);
    await this.post('/queue', { clear: true });
    await this.post('/interrupt', {});
    await this.idle();
  }

  async eventually<Found>(what: string, look: () => Promise<Found | undefined>): Promise<Found> {
    const deadline = Date.now() + this.#patienceMs;
    while (Date.now() < deadline) {
      const found = await look();
      if (found !== undefined) return found;
      await delay(10);
    }
    throw new Error(`Waited ${this.#patienceMs / 1000} s for ${what}.`);
  }
}

function parsed(text: string): Answer {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
