import { existsSync } from 'node:fs';
import { loadConfig } from '@switchyard/server/config/load';
import type { Config } from '@switchyard/server/config/schema';
import type { ResetAdminOutcome } from '@switchyard/server/ops/reset-admin';
import type { Command } from 'commander';
import { addHomeOptions, type HomeFlags } from '../gateway-home.ts';
import { describeCommand } from '../help.ts';
import type { Terminal } from '../terminal.ts';

export function addResetAdminCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('reset-admin')
    .option('--email <address>', 'account to reset (default: the administrator that the first start made)')
    .action(async ({ email, ...flags }: HomeFlags & { email?: string }) => {
      const { config } = loadConfig({ flags, env: terminal.env, cwd: terminal.cwd });
      report(await reset(config, email), terminal);
    });
  addHomeOptions(command);
  describeCommand(command, {
    purpose: 'give an administrator a new password; works beside a running gateway',
    examples: [
      'switchyard reset-admin',
      'switchyard reset-admin --email someone@example.com --home /srv/switchyard',
    ],
    exits: ['ok', 'failed', 'config', 'unreachable'],
  });
}

/** Opens the database beside a running gateway. It never migrates: that gateway may be of another version. */
async function reset(config: Config, email: string | undefined): Promise<ResetAdminOutcome> {
  const [{ databaseOptions, sharedHome }, { openDatabase }, { resetAdmin }, { createLogger }] =
    await Promise.all([
      import('@switchyard/server/ops/options-of-config'),
      import('@switchyard/server/platform/database/open'),
      import('@switchyard/server/ops/reset-admin'),
      import('@switchyard/server/platform/telemetry/logger'),
    ]);
  const options = databaseOptions(config, createLogger(config.observability.log));
  if (options.backend === 'sqlite' && !existsSync(options.file)) {
    return {
      ok: false,
      message: `There is no database at ${options.file}. Start the gateway once; it makes one.`,
    };
  }
  const database = await openDatabase(options);
  try {
    return await resetAdmin({ database: database.withTables(), home: sharedHome(config), email });
  } finally {
    await database.close();
  }
}

/** The password is never printed, because terminals and logs keep what they show. */
function report(outcome: ResetAdminOutcome, { stdout, stderr }: Terminal): void {
  if (!outcome.ok) throw new Error(outcome.message);
  stdout.write(`email: ${outcome.email}\npassword: in ${outcome.credentialsPath}\n`);
  stderr.write(
    'Every session of this account has ended; its personal access tokens go on. ' +
      'Sign in with this password and choose your own: switchyard login\n',
  );
}
