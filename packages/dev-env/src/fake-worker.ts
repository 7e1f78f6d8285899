import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FakeBehaviour, FakeStats } from './fake-behaviour.ts';
import { type FakeGraph, FakeQueue, type FakeRun } from './fake-worker-queue.ts';
import { FakeSockets } from './fake-worker-sockets.ts';

export interface FakeWorkerOptions extends Partial<FakeBehaviour> {
  port?: number;
  /** The address that it listens on; loopback of IPv4 when it is absent. */
  host?: string;
  nodeClasses?: readonly string[];
  /** The model files that are offered for each `<class>.<input>`. */
  models?: Readonly<Record<string, readonly string[]>>;
  embeddings?: readonly string[];
  keepsArrivals?: boolean;
}

/** As on a genuine server; Node's own would be 5 s. */
const keepAliveMs = 75_000;
const defaults: FakeBehaviour = { runMs: 0, outputBytes: 0, outputName: null, trouble: null };
const defaultClasses = [
  'LoadImage',
  'EmptyImage',
  'ImageScale',
  'ImageInvert',
  'SaveImage',
  'PreviewImage',
  'SaveImageWebsocket',
];

/**
 * A worker that speaks ComfyUI's protocol and does no work: for measures, where the fleet must cost next to nothing,
 * and for tests of what goes wrong. Its prompts run one after the other, as on a real worker.
 */
export class FakeWorker {
  behaviour: FakeBehaviour;
  port = 0;
  /** Answers 404 for the files that its history names. */
  loseOutputs = false;
  /** The body of a 400 for this graph; null when the worker accepts it. */
  refuses: (graph: FakeGraph) => object | null = () => null;
  /** The `execution_error` with which a run of this graph ends; null when it succeeds. */
  fails: (graph: FakeGraph) => object | null = () => null;
  readonly #server: Server;
  readonly #sockets = new FakeSockets();
  readonly #queue: FakeQueue;
  /**
   * The node classes of this worker. Its answers show a change at once, as when a model is added to a running server.
   */
  nodeClasses: readonly string[];
  models: Readonly<Record<string, readonly string[]>>;
  /** Null: 404, as a server answers that knows no embeddings. */
  embeddings: readonly string[] | null;
  /** The number of requests to unload its models. */
  freed = 0;
  #objectInfoAsked = 0;
  #prompts = 0;
  #uploads = 0;
  readonly #keepsArrivals: boolean;
  readonly #arrivals: Record<string, string> = {};
  #output = Buffer.alloc(0);
  #counter = 0;

  private constructor(options: FakeWorkerOptions) {
    const {
      nodeClasses = defaultClasses,
      models = {},
      embeddings = null,
      keepsArrivals = false,
      port: _,
      host: _host,
      ...behaviour
    } = options;
    this.behaviour = { ...defaults, ...behaviour };
    this.nodeClasses = nodeClasses;
    this.models = models;
    this.embeddings = embeddings;
    this.#keepsArrivals = keepsArrivals;
    this.#queue = new FakeQueue({
      behaviour: () => this.behaviour,
      failureOf: (graph) => this.fails(graph),
      say: (clientId, type, data) => {
        const isHeard = this.behaviour.trouble !== 'deaf' && this.behaviour.trouble !== 'silent_prompt';
        if (isHeard) this.#sockets.send(clientId, type, data);
      },
      show: (clientId, png) => {
        if (this.behaviour.trouble !== 'deaf') this.#sockets.sendPicture(clientId, png);
      },
    });
    this.#server = createServer((request, response) => this.#answer(request, response));
    this.#server.keepAliveTimeout = keepAliveMs;
    this.#server.on('upgrade', (request, socket, head) => {
      this.#sockets.accept({ request, socket, head }, this.#queue.status);
    });
  }

  static async start(options: FakeWorkerOptions = {}): Promise<FakeWorker> {
    const worker = new FakeWorker(options);
    await new Promise<void>((resolve, reject) => {
      worker.#server.once('error', reject);
      worker.#server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve);
    });
    worker.port = (worker.#server.address() as AddressInfo).port;
    return worker;
  }

  get stats(): FakeStats {
    return {
      port: this.port,
      ...this.#queue.stats,
      objectInfoAsked: this.#objectInfoAsked,
      prompts: this.#prompts,
      uploads: this.#uploads,
      arrivals: this.#arrivals,
    };
  }

  /** Ends the running prompt with success now: for a test that holds a run until it has made its checks. */
  finishRun(): void {
    this.#queue.finishRun();
  }

  /** The client ids of all open event sockets. */
  get clientIds(): string[] {
    return this.#sockets.clientIds;
  }

  /** All event sockets stay open and receive nothing any more, as when the network is cut. */
  forgetSockets(): void {
    this.#sockets.forgetAll();
  }

  /** All event sockets break, as when the network is cut. */
  dropSockets(): void {
    this.#sockets.dropAll();
  }

  /** Acts like a restart of the process: queue, history and counter are gone. */
  restart(): void {
    this.#sockets.dropAll();
    this.#queue.clear();
    this.#counter = 0;
  }

  async close(): Promise<void> {
    this.#queue.clear();
    this.#sockets.dropAll();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    switch (this.behaviour.trouble) {
      case 'hang':
        return;
      case 'password':
        response.writeHead(401).end('who are you?');
        return;
      case 'garbage':
        response.writeHead(200).end('\u0000garbage{');
        return;
      case 'bad_gateway':
        response.writeHead(502).end('<h1>502 Bad Gateway</h1>');
        return;
      case 'trickle':
        trickle(response);
        return;
      default:
        readBody(request, (body) => this.#route(request, { response, body }));
    }
  }

  #route(request: IncomingMessage, { response, body }: { response: ServerResponse; body: Buffer }): void {
    const [path = '', query = ''] = (request.url ?? '/').split('?', 2);
    const historyOf = path.startsWith('/history/') ? decodeURIComponent(path.slice(9)) : null;
    switch (historyOf === null ? `${request.method} ${path}` : 'history') {
      case 'POST /prompt':
        this.#prompts++;
        this.#takePrompt(response, body);
        break;
      case 'GET /prompt':
        sendJson(response, 200, this.#queue.status);
        break;
      case 'history':
        if (this.behaviour.trouble === 'silent_history') break;
        sendJson(response, 200, this.#queue.historyOf(historyOf ?? ''));
        break;
      case 'GET /queue':
        sendJson(response, 200, this.#queue.list());
        break;
      case 'POST /queue':
        this.#deleteWaiting(response, body);
        break;
      case 'POST /interrupt':
        this.#interrupt(response, body);
        break;
      case 'GET /view':
        this.#view(response, query);
        break;
      case 'POST /upload/image':
        this.#uploads++;
        this.#takeFile(response, body);
        break;
      case 'GET /':
        response.setHeader('content-type', 'text/html').end('<!doctype html>');
        break;
      case 'GET /system_stats':
        sendJson(response, 200, systemStats);
        break;
      case 'GET /object_info':
        this.#objectInfoAsked++;
        if (this.behaviour.trouble === 'silent_object_info') break;
        sendJson(response, 200, this.#objectInfo());
        break;
      case 'GET /embeddings':
        sendJson(response, this.embeddings ? 200 : 404, this.embeddings ?? {});
        break;
      case 'GET /features':
        this.#nameFeatures(response);
        break;
      case 'POST /free':
        this.freed += 1;
        response.end();
        break;
      default:
        response.writeHead(404).end('404: Not Found');
    }
  }

  #takePrompt(response: ServerResponse, body: Buffer): void {
    if (this.behaviour.trouble === 'refuse') {
      const error = {
        type: 'prompt_no_outputs',
        message: 'Prompt has no outputs',
        details: '',
        extra_info: {},
      };
      sendJson(response, 400, { error, node_errors: {} });
      return;
    }
    if (this.#refusesSize(response, body)) return;
    if (this.behaviour.hasRival) this.#takeRival();
    const run = readPrompt(body, this.#counter);
    const refusal = this.refuses(run.graph);
    if (refusal) {
      sendJson(response, 400, refusal);
      return;
    }
    this.#counter++;
    if (this.#keepsArrivals) this.#arrivals[run.promptId] = String(process.hrtime.bigint());
    if (this.behaviour.trouble === 'lost_response') response.destroy();
    else if (this.behaviour.trouble === 'gateway_timeout')
      response.writeHead(504).end('<h1>504 Gateway Time-out</h1>');
    else if (this.behaviour.trouble !== 'silent_prompt')
      sendJson(response, 200, { prompt_id: run.promptId, number: run.number, node_errors: {} });
    this.#queue.put(run);
  }

  #takeFile(response: ServerResponse, body: Buffer): void {
    if (this.behaviour.trouble === 'stuck_upload') return;
    if (!this.#refusesSize(response, body)) sendJson(response, 200, uploadedName(body));
  }

  #refusesSize(response: ServerResponse, body: Buffer): boolean {
    const isRefused = body.length > (this.behaviour.maxUploadBytes ?? Number.POSITIVE_INFINITY);
    if (isRefused) response.writeHead(413).end('Maximum request body size exceeded');
    return isRefused;
  }

  #nameFeatures(response: ServerResponse): void {
    const { maxUploadBytes, hidesUploadLimit } = this.behaviour;
    if (maxUploadBytes === undefined || hidesUploadLimit) response.writeHead(404).end('404: Not Found');
    else sendJson(response, 200, { supports_preview_metadata: true, max_upload_size: maxUploadBytes });
  }

  #takeRival(): void {
    const number = this.#counter++;
    this.#queue.put({ number, promptId: `rival-${number}`, clientId: 'rival', graph: {} });
  }

  #deleteWaiting(response: ServerResponse, body: Buffer): void {
    const { delete: ids = [] } = JSON.parse(body.toString()) as { delete?: string[] };
    for (const id of ids) this.#queue.deleteWaiting(id);
    response.end();
  }

  #interrupt(response: ServerResponse, body: Buffer): void {
    const { prompt_id: promptId } = JSON.parse(body.toString() || '{}') as { prompt_id?: string };
    this.#queue.interrupt(promptId ?? null);
    response.end();
  }

  /** Every file has different bytes. Otherwise storing by content would make the second one free. */
  #view(response: ServerResponse, query: string): void {
    const filename = new URLSearchParams(query).get('filename') ?? '';
    const { outputBytes } = this.behaviour;
    if (outputBytes === 0 || this.loseOutputs) {
      response.writeHead(404).end();
      return;
    }
    if (this.behaviour.trouble === 'stuck_output') {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': outputBytes }).write('a part');
      return;
    }
    if (this.#output.length !== outputBytes) this.#output = Buffer.alloc(outputBytes, 7);
    const bytes = Buffer.from(this.#output);
    bytes.write(filename);
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': bytes.length }).end(bytes);
  }

  #modelInputsOf(nodeClass: string): Record<string, unknown> {
    const own = Object.entries(this.models).filter(([input]) => input.startsWith(`${nodeClass}.`));
    return Object.fromEntries(own.map(([input, files]) => [input.slice(nodeClass.length + 1), [files]]));
  }

  #objectInfo(): Record<string, unknown> {
    return Object.fromEntries(
      this.nodeClasses.map((name) => [
        name,
        {
          input: { required: this.#modelInputsOf(name) },
          output_node: name.startsWith('Save') || name.startsWith('Preview'),
        },
      ]),
    );
  }
}

const systemStats = {
  system: {
    os: 'posix',
    comfyui_version: '0.3.64',
    pytorch_version: '2.8.0+cu128',
    ram_total: 64_000_000_000,
    ram_free: 12_000_000_000,
  },
  devices: [{ name: 'fake', type: 'cpu', index: 0, vram_total: 8_000_000_000, vram_free: 6_000_000_000 }],
};

function readPrompt(body: Buffer, number: number): FakeRun {
  const given = JSON.parse(body.toString()) as {
    prompt: FakeGraph;
    prompt_id?: string;
    client_id?: string;
  };
  const { prompt, prompt_id: promptId = `fake-${number}`, client_id: clientId = null } = given;
  return { number, promptId, clientId, graph: prompt };
}

function uploadedName(body: Buffer): unknown {
  const name = /filename="([^"]*)"/.exec(body.toString('latin1', 0, 2_000))?.[1] ?? 'unnamed';
  return { name, subfolder: 'gw', type: 'input' };
}

function trickle(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const interval = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(interval));
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}

function readBody(request: IncomingMessage, handle: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => handle(Buffer.concat(chunks)));
}
