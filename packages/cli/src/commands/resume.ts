import { existsSync } from 'node:fs';
import { loadConfig } from '@switchyard/server/config/load';
import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { addHomeOptions, type HomeFlags } from '../gateway-home.ts';
import { describeCommand } from '../help.ts';
import type { Terminal } from '../terminal.ts';

export function addResumeCommand(program: Command, terminal: Terminal): void {
  const command = program.command('resume').action((flags: HomeFlags) => resume(flags, terminal));
  addHomeOptions(command);
  describeCommand(command, {
    purpose: 'let a restored gateway work: queue, runs, schedules, channels and webhooks',
    examples: ['switchyard resume', 'switchyard resume --home /srv/switchyard'],
    exits: ['ok', 'failed', 'config', 'conflict', 'unreachable'],
  });
}

/** Beside a running gateway too, which sees it within seconds. */
async function resume(flags: HomeFlags, { env, cwd, stdout }: Terminal): Promise<void> {
  const { config } = loadConfig({ flags, env, cwd });
  const [{ databaseOptions }, { openDatabase }, { endQuiet }, { createLogger }] = await Promise.all([
    import('@switchyard/server/ops/options-of-config'),
    import('@switchyard/server/platform/database/open'),
    import('@switchyard/server/platform/database/gateway-store'),
    import('@switchyard/server/platform/telemetry/logger'),
  ]);
  const options = databaseOptions(config, createLogger(config.observability.log));
  if (options.backend === 'sqlite' && !existsSync(options.file))
    throw new CommandError(
      'failed',
      `There is no database at ${options.file}. Name the data home with --home.`,
    );
  const database = await openDatabase(options);
  try {
    if (!(await endQuiet(database)))
      throw new CommandError(
        'conflict',
        'The gateway is not quiet: nothing was restored, or it was resumed before.',
      );
    stdout.write('The gateway works again. One that runs begins within seconds.\n');
  } finally {
    await database.close();
  }
}
