import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ConfigError } from '@switchyard/server/config/faults';
import { type Flags, type LoadedConfig, loadConfig } from '@switchyard/server/config/load';
import { systemClock } from '@switchyard/server/lib/clock';
import type { BundleEntry } from '@switchyard/server/ops/support/support-bundle';
import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { CommandError } from '../exit-codes.ts';
import { formatSize } from '../format-size.ts';
import { addHomeOptions } from '../gateway-home.ts';
import { describeCommand } from '../help.ts';
import { collected } from '../option-values.ts';
import { printTable } from '../output.ts';
import { plainLines } from '../plain-text.ts';
import type { Input, Terminal } from '../terminal.ts';
import { version } from '../version.ts';
import { gatewayHelp, lastPortFor } from './up.ts';

interface BundleFlags extends Flags {
  log?: string[];
  to?: string;
  print?: true;
  yes?: true;
}

/** What happened last is at the end of a log. */
const maxLogBytes = 5 * 1024 * 1024;

export function addSupportBundleCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('support-bundle')
    .option(
      '--log <file>',
      'log of the gateway in JSON, - for standard input; several times for several',
      collected,
    )
    .option('--to <file>', 'archive to write (default ./switchyard-support-<time>.zip)')
    .option('--print', 'print everything that would be in it, and write nothing')
    .option('--yes', 'do not ask');
  addHomeOptions(command).action((options: BundleFlags) => bundle(options, terminal));
  describeCommand(command, {
    purpose:
      "put the doctor's findings, the configuration and logs into one archive, without secrets and personal content",
    examples: [
      'switchyard support-bundle --print',
      'switchyard support-bundle --log /var/log/switchyard.log',
      'journalctl -u switchyard -o cat --since yesterday | switchyard support-bundle --log - --yes',
    ],
    environment: gatewayHelp.environment,
    exits: ['ok', 'failed', 'usage', 'cancelled'],
  });
}

async function bundle(
  { log = [], to, print, yes, ...flags }: BundleFlags,
  terminal: Terminal,
): Promise<void> {
  const { env, cwd, stdin, stdout, stderr } = terminal;
  const [{ examineGateway }, { bundleArchive, supportBundle }] = await Promise.all([
    import('@switchyard/server/ops/doctor/doctor'),
    import('@switchyard/server/ops/support/support-bundle'),
  ]);
  const load = () => loadConfig({ flags, env, cwd });
  const nowMs = systemClock();
  const logs: string[] = [];
  for (const file of log)
    logs.push(await (file === '-' ? endOfStream(stdin) : endOfFile(resolve(cwd, file))));
  const findings = await examineGateway({ load, env, cwd, lastPortFor, clock: systemClock });
  const entries = supportBundle({ loaded: validOnly(load), findings, logs, env, version, nowMs });
  if (print) {
    for (const { name, text } of entries) stdout.write(`── ${name}\n${plainLines(text)}`);
    return;
  }
  list(entries, terminal);
  const path = resolve(
    cwd,
    to ?? `switchyard-support-${new Date(nowMs).toISOString().replace(/[:.]/g, '-')}.zip`,
  );
  if (!yes) await confirm(`Write these to ${path}? --print shows what is in them.`, terminal);
  // The name of a file that is there belongs to something else.
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  await pipeline(bundleArchive(entries, nowMs), file).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new CommandError('failed', `${path} is there already. Name another file with --to.`);
    await rm(path, { force: true });
    throw error;
  });
  stdout.write(`${path}\n`);
  if (log.length === 0) stderr.write('It has no logs: name them with --log.\n');
}

/** Null when the configuration is not valid. The doctor's findings say so. */
function validOnly(load: () => LoadedConfig): LoadedConfig | null {
  try {
    return load();
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

function list(entries: readonly BundleEntry[], terminal: Terminal): void {
  printTable(terminal, {
    columns: [
      { title: 'FILE', of: ({ name }) => name },
      { title: 'SIZE', of: ({ text }) => formatSize(Buffer.byteLength(text)) },
    ],
    rows: entries,
    none: '',
  });
}

async function endOfFile(path: string): Promise<string> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError('failed', `--log ${path} cannot be read (${error.code}).`, error);
  });
  try {
    const { size } = await file.stat();
    const length = Math.min(size, maxLogBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return wholeLines(buffer.subarray(0, bytesRead), size > length);
  } finally {
    await file.close();
  }
}

async function endOfStream(input: Input): Promise<string> {
  let end = Buffer.alloc(0);
  let isCut = false;
  for await (const chunk of input) {
    end = Buffer.concat([end, Buffer.from(chunk)]);
    if (end.length <= 2 * maxLogBytes) continue;
    end = end.subarray(-maxLogBytes);
    isCut = true;
  }
  return wholeLines(end.subarray(-maxLogBytes), isCut || end.length > maxLogBytes);
}

function wholeLines(bytes: Buffer, isCut: boolean): string {
  const text = bytes.toString('utf8');
  return isCut ? text.slice(text.indexOf('\n') + 1) : text;
}
