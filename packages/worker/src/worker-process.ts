import { parseArgs } from 'node:util';
import { adoptEveryMs } from './lifecycle.ts';
import { AlreadyRunningError, type RunningWorker, startWorker } from './worker.ts';

const help = `The Switchyard reference worker: speaks ComfyUI's protocol, runs image nodes without a model on the CPU.

  --dir DIR        where it keeps input, output, temp and worker.json (needed)
  --port PORT      the only port to try; without it the last one of this directory, else the first free one from 8199
  --host HOST      the address to listen on, 127.0.0.1 by default; there is no login
  --pace-ms MS     the least time that each node takes, to watch a run
  --adopted        end when no gateway has been heard of for 60 s
  --faults         open /reference/faults, to break this worker on purpose in tests
`;

const orphanedAfterMs = 4 * adoptEveryMs;

/** A worker as a process of its own: options, signals, exit code. Resolves when it has ended. */
export async function runWorkerProcess(args: readonly string[]): Promise<number> {
  const write = (line: string) => process.stdout.write(`${line}\n`);
  const complain = (line: string) => process.stderr.write(`${line}\n`);
  const options = readOptions(args);
  if (options === help) {
    write(help);
    return 0;
  }
  if (typeof options === 'string') {
    complain(options);
    return 2;
  }
  const ending = endOf();
  let worker: RunningWorker;
  try {
    worker = await startWorker({ ...options, log: write, onEnd: ending.request });
  } catch (error) {
    complain(errorText(error));
    return error instanceof AlreadyRunningError ? 3 : 1;
  }
  write(`Reference worker at ${worker.url}`);
  write(`Ending: ${await ending.reason}`);
  await worker.close();
  return 0;
}

/** Settled by the first of: a signal, a request to stop, too much time without a gateway. */
function endOf(): { reason: Promise<string>; request: (reason: string) => void } {
  let request: (reason: string) => void = () => undefined;
  const reason = new Promise<string>((resolve) => {
    request = resolve;
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => request(signal));
  return { reason, request };
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  const sentence = {
    EADDRINUSE: `Port ${port} is in use on ${address}. Stop what uses it, or name another with --port (0 takes any free one).`,
    EACCES: `This user may not listen on port ${port}. Choose one above 1023 with --port.`,
    EADDRNOTAVAIL: `This machine has no address ${address}. Choose another with --host.`,
  }[port === undefined ? '' : (code ?? '')];
  return sentence ?? error.message;
}

function readOptions(args: readonly string[]) {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n\n${help}`;
  }
  const { dir, host, port, 'pace-ms': paceMs } = values;
  if (values.help) return help;
  if (dir === undefined) return `--dir is needed.\n\n${help}`;
  if (port !== undefined && !isWhole(port, 65_535)) return `--port ${port} is not a port: 0 to 65535.`;
  if (paceMs !== undefined && !isWhole(paceMs, 60_000))
    return `--pace-ms ${paceMs} is not a time in milliseconds: 0 to 60000.`;
  return {
    dir,
    faultRoutes: values.faults,
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port: Number(port) }),
    ...(paceMs !== undefined && { paceMs: Number(paceMs) }),
    ...(values.adopted && { exitWhenOrphanedForMs: orphanedAfterMs }),
  };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      dir: { type: 'string' },
      port: { type: 'string' },
      host: { type: 'string' },
      'pace-ms': { type: 'string' },
      adopted: { type: 'boolean', default: false },
      faults: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false, short: 'h' },
    },
  }).values;
}

function isWhole(text: string, max: number): boolean {
  return /^\d{1,6}$/.test(text) && Number(text) <= max;
}
