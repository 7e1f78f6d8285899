import type { Command } from 'commander';
import { CommandError, type ExitName } from '../exit-codes.ts';
import { describeCommand } from '../help.ts';
import type { Terminal } from '../terminal.ts';
import { addWorkerTest } from '../worker-test.ts';

interface WorkerCommandOptions {
  dir: string;
  host?: string;
  port?: string;
  paceMs?: string;
  adopted?: true;
  faults?: true;
}

export function addWorkerCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('worker')
    .option('--dir <folder>', 'where it keeps inputs, outputs and its log', './.switchyard-worker')
    .option(
      '--port <port>',
      'port to listen on (default: the last one here, else the first free one from 8199)',
    )
    .option('--host <address>', 'address to listen on; there is no login (default 127.0.0.1)')
    .option('--pace-ms <ms>', 'least time that each node takes, to watch a run')
    .option('--adopted', 'end when no gateway has been heard of for 60 s')
    .option('--faults', 'open /reference/faults, to break it on purpose in tests')
    .action((options: WorkerCommandOptions) => runWorker(options));
  describeCommand(command, {
    purpose: 'run the CPU reference worker: ComfyUI’s protocol, image nodes without a model',
    examples: [
      'switchyard worker',
      'switchyard worker --port 8200 --pace-ms 300',
      'switchyard worker test http://127.0.0.1:8188   # does another server speak the protocol?',
    ],
    exits: ['ok', 'failed', 'usage', 'conflict'],
  });
  addWorkerTest(command, terminal);
}

/** Takes the exit code that the worker has as a program of its own. */
const exitOf: Record<number, ExitName> = { 2: 'usage', 3: 'conflict' };

async function runWorker(options: WorkerCommandOptions): Promise<void> {
  const { runWorkerProcess } = await import('@switchyard/worker/worker-process');
  const { dir, host, port, paceMs, adopted, faults } = options;
  const code = await runWorkerProcess([
    ...['--dir', dir],
    ...(host === undefined ? [] : ['--host', host]),
    ...(port === undefined ? [] : ['--port', port]),
    ...(paceMs === undefined ? [] : ['--pace-ms', paceMs]),
    ...(adopted ? ['--adopted'] : []),
    ...(faults ? ['--faults'] : []),
  ]);
  if (code !== 0) throw new CommandError(exitOf[code] ?? 'failed', 'No worker was started.');
}
