import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Adoption } from './adoption.ts';
import { Faults } from './faults.ts';
import { WorkerFiles } from './files/worker-files.ts';
import { infoRoutes } from './http/info-routes.ts';
import { promptRoutes } from './http/prompt-routes.ts';
import { queueRoutes } from './http/queue-routes.ts';
import { referenceRoutes } from './http/reference-routes.ts';
import { uploadRoutes } from './http/upload-routes.ts';
import { viewRoute } from './http/view-route.ts';
import { WorkerServer } from './http/worker-server.ts';
import { nodeClasses } from './nodes/node-classes.ts';
import { NodeRegistry } from './nodes/registry.ts';
import { defaultLimits, type WorkerOptions } from './options.ts';
import { listenOnFirst, portsToTry } from './port.ts';
import { Executor } from './prompt/executor.ts';
import { History } from './prompt/history.ts';
import { Interrupt } from './prompt/interrupt.ts';
import { OutputCache } from './prompt/output-cache.ts';
import { PromptQueue } from './prompt/prompt-queue.ts';
import { ClientSockets } from './socket/client-sockets.ts';
import { readWorkerFile, writeWorkerFile } from './worker-file.ts';

export interface RunningWorker {
  port: number;
  url: string;
  /** For `/reference/*`; the same as in worker.json. */
  token: string;
  /** The switches that `faultRoutes` opens over HTTP, always at hand in the same process. */
  faults: Faults;
  /** Nothing listens until `accept` is called: connections are refused, as while a process is down. */
  refuse: () => Promise<void>;
  accept: () => Promise<void>;
  close: () => Promise<void>;
}

/** The one place where a worker is put together. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { host = '127.0.0.1', paceMs = 0, log = () => undefined, onEnd = () => undefined } = options;
  const dir = resolve(options.dir);
  const limits = { ...defaultLimits, ...options.limits };
  await mkdir(dir, { recursive: true });
  const files = new WorkerFiles(dir);
  await files.open();

  const faults = new Faults();
  const interrupt = new Interrupt();
  const adoption = new Adoption(options.exitWhenOrphanedForMs, () => onEnd('orphaned'));
  const registry = new NodeRegistry(nodeClasses, files);
  const cache = new OutputCache(limits.maxCacheBytes);
  const history = new History(limits);
  const features = () => ({ supports_preview_metadata: true, max_upload_size: limits.maxUploadBytes });
  const status = () => ({ exec_info: { queue_remaining: queue.remaining } });
  const queue = new PromptQueue(() => sockets.send('status', { status: status() }, undefined));
  const sockets = new ClientSockets(
    { status, features, currentNode: (clientId) => executor.currentNodeOf(clientId) },
    { faults, limits },
  );
  const tools = { registry, cache, sockets, files, limits, interrupt, faults, paceMs, queue, history, log };
  const executor = new Executor(tools);

  const token = randomBytes(24).toString('base64url');
  const startedAt = new Date().toISOString();
  const server = new WorkerServer({
    routes: [
      ...promptRoutes({ queue, registry, limits }),
      ...queueRoutes({
        queue,
        history,
        interrupt,
        freeMemory: () => executor.freeMemory(),
        maxBytes: limits.maxUploadBytes,
      }),
      ...uploadRoutes({ files, limits }),
      viewRoute(files, limits.maxFramePixels),
      ...infoRoutes({ registry, features }),
      ...referenceRoutes({
        token,
        startedAt,
        adoption,
        stop: () => onEnd('told'),
        faults: options.faultRoutes === true ? faults : undefined,
        refuseForMs: (durationMs) => void refuseFor(durationMs),
      }),
    ],
    sockets,
    faults,
    maxBodyBytes: limits.maxUploadBytes,
    host,
    log,
  });

  const kept = await readWorkerFile(dir);
  const port = await listenOnFirst(portsToTry(options.port, kept?.port), (candidate) =>
    server.listen(candidate),
  );
  await writeWorkerFile(dir, { port, pid: process.pid, token, startedAt });
  executor.start();
  adoption.start();

  let comeback: NodeJS.Timeout | undefined;

  async function refuseFor(durationMs: number): Promise<void> {
    await server.stopListening();
    comeback = setTimeout(() => {
      server.listen(port).catch((error: unknown) => log(`Port ${port} is taken meanwhile: ${String(error)}`));
    }, durationMs);
  }

  async function close(): Promise<void> {
    clearTimeout(comeback);
    adoption.close();
    await server.stopListening();
    await executor.close();
    await files.close();
  }

  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    token,
    faults,
    refuse: () => server.stopListening(),
    accept: async () => void (await server.listen(port)),
    close,
  };
}
