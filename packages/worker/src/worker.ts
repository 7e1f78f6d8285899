import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Adoption } from './adoption.ts';
import { Faults } from './faults.ts';
import { WorkerFiles } from './files/worker-files.ts';
import type { Route } from './http/call.ts';
import { faultRoutes } from './http/fault-routes.ts';
import { infoRoutes } from './http/info-routes.ts';
import { promptRoutes } from './http/prompt-routes.ts';
import { queueRoutes } from './http/queue-routes.ts';
import { referenceRoutes } from './http/reference-routes.ts';
import { uploadRoutes } from './http/upload-routes.ts';
import { viewRoute } from './http/view-route.ts';
import { WorkerServer } from './http/worker-server.ts';
import { findWorker } from './lifecycle.ts';
import { nodeClasses } from './nodes/node-classes.ts';
import { NodeRegistry } from './nodes/registry.ts';
import { defaultLimits, type WorkerOptions } from './options.ts';
import { pageRoutes } from './page/stand-in-page.ts';
import { CollectedOutputs } from './prompt/collected-outputs.ts';
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
  /** The fault switches. `faultRoutes` opens them over HTTP; code in the same process can always use them. */
  faults: Faults;
  /** Stops listening until `accept` is called: connections are refused, as when a process is down. */
  refuse: () => Promise<void>;
  accept: () => Promise<void>;
  close: () => Promise<void>;
}

/** One worker has a directory to itself. */
export class AlreadyRunningError extends Error {
  constructor(dir: string, { url, pid }: { url: string; pid: number }) {
    super(`A worker runs in ${dir} already, at ${url} (process ${pid}).`);
  }
}

/** The only place that puts a worker together. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { host = '127.0.0.1', paceMs = 0, log = () => undefined, onEnd = () => undefined } = options;
  const dir = resolve(options.dir);
  const limits = { ...defaultLimits, ...options.limits };
  const other = await findWorker(dir);
  if (other !== undefined) throw new AlreadyRunningError(dir, other);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const files = new WorkerFiles(dir);
  await files.open();

  const faults = new Faults();
  const interrupt = new Interrupt();
  const adoption = new Adoption(options.exitWhenOrphanedForMs, () => onEnd('orphaned'));
  const registry = new NodeRegistry(nodeClasses, files);
  const cache = new OutputCache(limits.maxCacheBytes);
  const history = new History(limits);
  const features = () => ({
    supports_preview_metadata: true,
    max_upload_size: limits.maxUploadBytes,
    deletes_collected: true,
  });
  const status = () => ({ exec_info: { queue_remaining: queue.remaining } });
  const queue = new PromptQueue(() => sockets.send('status', { status: status() }, undefined));
  const sockets = new ClientSockets(
    { status, features, currentNode: (clientId) => executor.currentNodeOf(clientId) },
    { faults, limits },
  );
  const collected = new CollectedOutputs({
    files,
    history,
    cache,
    isRunning: () => queue.remaining > queue.pendingCount,
    log,
  });
  const tools = {
    collected,
    registry,
    cache,
    sockets,
    files,
    limits,
    interrupt,
    faults,
    paceMs,
    queue,
    history,
    log,
  };
  const executor = new Executor(tools);

  const identity = { token: randomBytes(24).toString('base64url'), startedAt: new Date().toISOString() };
  const routes: Route[] = [
    ...promptRoutes(tools),
    ...queueRoutes({ ...tools, freeMemory: () => executor.freeMemory(), maxBytes: limits.maxUploadBytes }),
    ...uploadRoutes(tools),
    viewRoute(files, limits.maxFramePixels),
    ...pageRoutes(faults),
    ...infoRoutes({
      registry,
      features,
      argv: ['reference-worker', ...(paceMs > 0 ? ['--pace-ms', String(paceMs)] : [])],
    }),
    ...referenceRoutes({ ...identity, adoption, stop: () => onEnd('told') }),
    ...(options.faultRoutes === true
      ? faultRoutes(faults, (durationMs) => void server.refuseFor(durationMs))
      : []),
  ];
  const server = new WorkerServer({
    routes,
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
  await writeWorkerFile(dir, { ...identity, port, pid: process.pid });
  executor.start();
  adoption.start();

  async function close(): Promise<void> {
    adoption.close();
    await server.close();
    await executor.close();
    await files.close();
  }

  return {
    port,
    token: identity.token,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    faults,
    refuse: () => server.refuse(),
    accept: () => server.accept(),
    close,
  };
}

/** Standalone and embedded workers search a port from here; ComfyUI itself starts at 8188. */
const firstPort = 8199;
const portCount = 100;

/**
 * An explicit port is the only choice. Otherwise the port of the last start comes first, so that `ip:port`, the id of
 * an instance, stays the same. Then follow the free ports from 8199.
 */
function portsToTry(wanted: number | undefined, kept: number | undefined): number[] {
  if (wanted !== undefined) return [wanted];
  const range = Array.from({ length: portCount }, (_, index) => firstPort + index);
  return kept === undefined ? range : [kept, ...range.filter((port) => port !== kept)];
}

async function listenOnFirst(
  ports: readonly number[],
  listen: (port: number) => Promise<number>,
): Promise<number> {
  for (const [index, port] of ports.entries()) {
    try {
      return await listen(port);
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isBusy || index === ports.length - 1) throw error;
    }
  }
  throw new RangeError('No port to try was given.');
}
