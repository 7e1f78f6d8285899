import { loadConfig } from '@switchyard/server/config/load';
import { steadyClock, systemClock } from '@switchyard/server/lib/clock';
import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { addHomeOptions, type HomeFlags } from '../gateway-home.ts';
import { describeCommand } from '../help.ts';
import { addOutputOption, type OutputOptions, printJson } from '../output.ts';
import { plainText } from '../plain-text.ts';
import { stepView } from '../step-view.ts';
import type { Terminal } from '../terminal.ts';

interface RestoreFlags extends HomeFlags, OutputOptions {
  from: string;
  at?: string;
  verify?: true;
  live?: true;
  compare?: string;
}

export function addRestoreCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('restore')
    .requiredOption('--from <place>', 'folder with backups, the folder of one of them, or a file')
    .option('--at <time>', 'time of the backup (default: the latest one)')
    .option('--verify', 'check the backup and restore nothing')
    .option(
      '--live',
      'let the gateway work as soon as it starts; without it, it is quiet until switchyard resume',
    )
    .option(
      '--compare <place>',
      'data home or database URL of the gateway as it is now, to name what comes back',
    )
    .action(async ({ verify: isCheck, ...options }: RestoreFlags) =>
      isCheck ? verify(options, terminal) : restore(options, terminal),
    );
  addHomeOptions(command, 'data home, which must be empty (default ./.switchyard)');
  addOutputOption(command);
  describeCommand(command, {
    purpose: 'restore a backup into an empty home and an empty database, or check it',
    examples: [
      'switchyard restore --from /srv/backup/switchyard --verify',
      'switchyard restore --from /srv/backup/switchyard --home /srv/rehearsal',
      'switchyard restore --from /srv/backup/switchyard --home /srv/switchyard --live',
    ],
    exits: ['ok', 'failed', 'config', 'unreachable'],
  });
}

async function restore(
  { from, at, live, compare, output, ...flags }: RestoreFlags,
  terminal: Terminal,
): Promise<void> {
  const { env, cwd, stdout, stderr } = terminal;
  const { config } = loadConfig({ flags, env, cwd });
  const [{ restoreBackup }, { createLogger }, { resolve }] = await Promise.all([
    import('@switchyard/server/ops/backup/restore-backup'),
    import('@switchyard/server/platform/telemetry/logger'),
    import('node:path'),
  ]);
  const view = stepView(stderr, env, steadyClock);
  const restored = await restoreBackup({
    config,
    from: resolve(cwd, from),
    at,
    isLive: live === true,
    compare,
    clock: systemClock,
    log: createLogger(config.observability.log),
    onProgress: view.show,
  }).finally(view.clear);
  const { manifest, absent, comingBack } = restored;
  if (output === 'json') printJson(terminal, restored);
  else {
    stdout.write(`${config.data_home}\n`);
    stderr.write(`Restored as of ${manifest.takenAt}, from ${restored.path}. All sessions have ended.\n`);
    if (manifest.secrets === null)
      stderr.write(
        'not in it: the secrets, so links to files and tokens of workers from before are not valid.\n',
      );
    for (const { path, why } of absent) stderr.write(`not in it: ${plainText(path)}: ${plainText(why)}\n`);
    if (comingBack === null)
      stderr.write('Accounts deleted and tokens revoked since then are valid again; --compare names them.\n');
    else for (const line of comingBack) stderr.write(`comes back: ${plainText(line)}\n`);
    stderr.write(
      live
        ? 'The gateway works as soon as it starts: switchyard up\n'
        : 'The gateway is quiet when it starts, and makes no calls, until: switchyard resume\n',
    );
  }
  if (absent.length === 0) return;
  throw new CommandError(
    'failed',
    `Everything is restored apart from ${absent.length} files, which are named.`,
  );
}

async function verify({ from, at, output }: RestoreFlags, terminal: Terminal): Promise<void> {
  const { env, cwd, stdout, stderr } = terminal;
  const [{ faultsOf, findBackup }, { resolve }] = await Promise.all([
    import('@switchyard/server/ops/backup/read-backup'),
    import('node:path'),
  ]);
  const found = await findBackup(resolve(cwd, from), at);
  const view = stepView(stderr, env, steadyClock);
  const show = (done: number, total: number): void => view.show('files', done, total);
  const faults = await faultsOf(found, show).finally(() => {
    view.clear();
    found.close();
  });
  const { takenAt, files, absent } = found.manifest;
  if (output === 'json') printJson(terminal, { takenAt, ok: faults.length === 0, faults, absent });
  else {
    for (const fault of faults) stderr.write(`${plainText(fault)}\n`);
    for (const { path, why } of absent) stderr.write(`not in it: ${plainText(path)}: ${plainText(why)}\n`);
    if (faults.length === 0)
      stdout.write(`The backup of ${takenAt} is good: database and ${files.count} files.\n`);
  }
  if (faults.length > 0)
    throw new CommandError('failed', `The backup of ${takenAt} has ${faults.length} faults.`);
}
