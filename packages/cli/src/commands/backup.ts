import { loadConfig } from '@switchyard/server/config/load';
import { steadyClock, systemClock } from '@switchyard/server/lib/clock';
import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { formatSize } from '../format-size.ts';
import { addHomeOptions, type HomeFlags } from '../gateway-home.ts';
import { describeCommand } from '../help.ts';
import { wholeNumber } from '../option-values.ts';
import { addOutputOption, type OutputOptions, printJson } from '../output.ts';
import { plainText } from '../plain-text.ts';
import { stepView } from '../step-view.ts';
import type { Terminal } from '../terminal.ts';
import { version } from '../version.ts';

interface BackupFlags extends HomeFlags, OutputOptions {
  to: string;
  withSecrets?: true;
  fast?: true;
  keep?: number;
}

export function addBackupCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('backup')
    .requiredOption(
      '--to <place>',
      'folder for the backups of this gateway, which share what has not changed, or a new file that ends in .tar and holds all of this one',
    )
    .option('--with-secrets', 'copy keys and first passwords too, into a file of their own')
    .option(
      '--keep <n>',
      'remove all but the latest n backups of the folder, and what only they had',
      wholeNumber(1, 100_000),
    )
    .option('--fast', 'take all of the processor and the disk, for example while no gateway runs')
    .action((options: BackupFlags) => backup(options, terminal));
  addHomeOptions(command);
  addOutputOption(command);
  describeCommand(command, {
    purpose: 'copy database and files, while the gateway runs',
    examples: [
      'switchyard backup --to /srv/backup/switchyard',
      'switchyard backup --to /srv/backup/switchyard --with-secrets --keep 30',
      'switchyard backup --to /srv/backup/before-the-move.tar',
    ],
    exits: ['ok', 'failed', 'config', 'unreachable'],
  });
}

async function backup(
  { to, withSecrets, fast, keep, output, ...flags }: BackupFlags,
  terminal: Terminal,
): Promise<void> {
  const { env, cwd, stdout, stderr } = terminal;
  const { config } = loadConfig({ flags, env, cwd });
  const [{ takeBackup }, { createLogger }, { resolve }] = await Promise.all([
    import('@switchyard/server/ops/backup/take-backup'),
    import('@switchyard/server/platform/telemetry/logger'),
    import('node:path'),
  ]);
  const view = stepView(stderr, env, steadyClock);
  const taken = await takeBackup({
    config,
    to: resolve(cwd, to),
    version,
    withSecrets: withSecrets === true,
    isFast: fast === true,
    keep,
    clock: systemClock,
    log: createLogger(config.observability.log),
    onProgress: view.show,
  }).finally(view.clear);
  const { manifest, path, copied, removed } = taken;
  if (output === 'json') printJson(terminal, taken);
  else {
    const rows = Object.values(manifest.database.rows).reduce((sum, count) => sum + count, 0);
    stdout.write(`${path}\n`);
    stderr.write(
      `Everything from before ${manifest.takenAt}: ${rows} rows, ${manifest.files.count} files (${formatSize(manifest.files.bytes)}); ` +
        `${copied.files} of them are new (${formatSize(copied.bytes)}). ${secretsAre(manifest.secrets !== null)}\n`,
    );
    if (removed.backups > 0 || removed.files > 0)
      stderr.write(`Removed: ${removed.backups} older backups, and ${removed.files} files.\n`);
    for (const { path: where, why } of manifest.absent)
      stderr.write(`not in it: ${plainText(where)}: ${plainText(why)}\n`);
  }
  if (manifest.absent.length === 0) return;
  throw new CommandError(
    'failed',
    `The backup is whole apart from ${manifest.absent.length} files, which it names.`,
  );
}

function secretsAre(areIn: boolean): string {
  return areIn
    ? 'Secrets are in it: keep it where no one else can read it.'
    : 'Secrets are not in it (--with-secrets).';
}
