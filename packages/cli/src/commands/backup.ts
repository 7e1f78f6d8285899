import { loadConfig } from '@switchyard/server/config/load';
import { steadyClock, systemClock } from '@switchyard/server/lib/clock';
import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { formatSize } from '../format-size.ts';
import { addHomeOptions, type HomeFlags } from '../gateway-home.ts';
import { describeCommand } from '../help.ts';
import { addOutputOption, type OutputOptions, printJson } from '../output.ts';
import { plainText } from '../plain-text.ts';
import { stepView } from '../step-view.ts';
import type { Terminal } from '../terminal.ts';
import { version } from '../version.ts';

interface BackupFlags extends HomeFlags, OutputOptions {
  to: string;
  withSecrets?: true;
}

export function addBackupCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('backup')
    .requiredOption(
      '--to <folder>',
      'folder for the backups of this gateway; they share what has not changed',
    )
    .option('--with-secrets', 'copy keys and first passwords too, into a file of their own')
    .action((options: BackupFlags) => backup(options, terminal));
  addHomeOptions(command);
  addOutputOption(command);
  describeCommand(command, {
    purpose: 'copy database and files into a folder, while the gateway runs',
    examples: [
      'switchyard backup --to /srv/backup/switchyard',
      'switchyard backup --to /srv/backup/switchyard --with-secrets',
    ],
    exits: ['ok', 'failed', 'config', 'unreachable'],
  });
}

async function backup({ to, withSecrets, output, ...flags }: BackupFlags, terminal: Terminal): Promise<void> {
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
    clock: systemClock,
    log: createLogger(config.observability.log),
    onProgress: view.show,
  }).finally(view.clear);
  const { manifest, path, copied } = taken;
  if (output === 'json') printJson(terminal, taken);
  else {
    const rows = Object.values(manifest.database.rows).reduce((sum, count) => sum + count, 0);
    stdout.write(`${path}\n`);
    stderr.write(
      `Everything from before ${manifest.takenAt}: ${rows} rows, ${manifest.files.count} files (${formatSize(manifest.files.bytes)}); ` +
        `${copied.files} of them are new (${formatSize(copied.bytes)}). ${secretsAre(manifest.secrets !== null)}\n`,
    );
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
