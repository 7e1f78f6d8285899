import { checkFormat } from '@switchyard/server/config/formats';
import { loadConfig } from '@switchyard/server/config/load';
import type { Config } from '@switchyard/server/config/schema';
import { steadyClock, systemClock } from '@switchyard/server/lib/clock';
import type { MovedFiles } from '@switchyard/server/ops/move-files';
import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { formatSize } from '../format-size.ts';
import { addHomeOptions, type HomeFlags, requireHome } from '../gateway-home.ts';
import { describeCommand } from '../help.ts';
import { addOutputOption, type OutputOptions, printJson } from '../output.ts';
import { stepView } from '../step-view.ts';
import type { Terminal } from '../terminal.ts';

interface FilesFlags extends HomeFlags, OutputOptions {
  to: string;
  verify: boolean;
}

const maxNamed = 10;

export function addMigrateFiles(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('files')
    .requiredOption(
      '--to <place>',
      '"disk", or "s3://bucket/prefix"; address and key of the bucket come from files.s3',
    )
    .option('--no-verify', 'do not read everything again at its new place')
    .action((options: FilesFlags) => migrateFiles(options, terminal));
  addHomeOptions(command);
  addOutputOption(command);
  describeCommand(command, {
    purpose: 'copy uploads and outputs from disk to S3, or back; the gateway must be stopped',
    examples: [
      'switchyard migrate files --to s3://switchyard-files/switchyard/',
      'switchyard migrate files --to disk',
    ],
    exits: ['ok', 'failed', 'usage', 'config'],
  });
}

async function migrateFiles({ to, verify, output, ...flags }: FilesFlags, terminal: Terminal): Promise<void> {
  const { env, cwd, stderr } = terminal;
  const loaded = loadConfig({ flags, env, cwd });
  const config = to === 'disk' ? loaded.config : withBucket(loaded.config, to);
  requireS3(config);
  requireHome(config);
  const [{ moveFiles }, { createLogger }] = await Promise.all([
    import('@switchyard/server/ops/move-files'),
    import('@switchyard/server/platform/telemetry/logger'),
  ]);
  const view = stepView(stderr, env, steadyClock);
  const store = to === 'disk' ? 'disk' : 's3';
  const moved = await moveFiles({
    config,
    to: store,
    isVerified: verify,
    clock: systemClock,
    log: createLogger(config.observability.log),
    onProgress: view.show,
  })
    .finally(view.clear)
    .catch((error: unknown) => {
      throw explained(error);
    });
  if (output === 'json') printJson(terminal, { to, ...moved });
  else printMoved(moved, { config, store, terminal });
  const lost = [...moved.missing, ...moved.damaged];
  if (lost.length === 0) return;
  const shown = lost.slice(0, maxNamed).join(', ');
  throw new CommandError(
    'failed',
    `Everything else is there. Where it comes from, ${moved.missing.length} contents are missing and ${moved.damaged.length} damaged: ${shown}${lost.length > maxNamed ? ', …' : ''}.`,
  );
}

function withBucket(config: Config, to: string): Config {
  const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(to) ?? [];
  try {
    const s3 = {
      ...config.files.s3,
      bucket: checkFormat('s3_bucket', bucket),
      ...(prefix !== '' && { prefix: checkFormat('s3_prefix', prefix) }),
    };
    return { ...config, files: { ...config.files, s3 } };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CommandError(
      'usage',
      `--to must be disk, or a bucket such as s3://switchyard-files/switchyard/; a part of "${to}" ${error.message}.`,
      error,
    );
  }
}

/** The check of the configuration asks for these only where the store is S3 already. */
function requireS3({ files: { s3 } }: Config): void {
  const missing = (['bucket', 'access_key_id', 'secret_access_key'] as const).filter(
    (name) => s3[name] === null,
  );
  if (missing.length === 0) return;
  const names = missing.map((name) => `files.s3.${name}`).join(', ');
  throw new CommandError(
    'config',
    `The bucket cannot be reached without ${names}; set them in the configuration.`,
  );
}

/** Returns the error of the service, which is the cause. */
function explained(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { message } = error.cause instanceof Error ? error.cause : error;
  return new CommandError('failed', message, error);
}

function printMoved(
  { copied, copiedBytes, present, verified }: MovedFiles,
  { config, store, terminal }: { config: Config; store: Config['files']['store']; terminal: Terminal },
): void {
  const { bucket, prefix } = config.files.s3;
  const settings =
    store === 'disk'
      ? 'files.store: disk'
      : `files.store: s3, files.s3.bucket: ${bucket} and files.s3.prefix: ${prefix}`;
  terminal.stdout.write(
    `${copied} contents copied (${formatSize(copiedBytes)}), ${present} were there, ${verified} verified.\n`,
  );
  terminal.stderr.write(
    `Set ${settings}, and start the gateway. Where the files come from, nothing was changed.\n`,
  );
}
