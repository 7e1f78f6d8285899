import { existsSync } from 'node:fs';
import type { Flags } from '@switchyard/server/config/load';
import type { Config } from '@switchyard/server/config/schema';
import type { Command } from 'commander';
import { CommandError } from './exit-codes.ts';

/** The options by which a command finds the gateway of this machine. */
export type HomeFlags = Pick<Flags, 'home' | 'config'>;

export function addHomeOptions(command: Command, home = 'data home (default ./.switchyard)'): Command {
  return command
    .option('--home <folder>', home)
    .option('--config <file>', 'configuration file (default ./switchyard.yaml when there is one)');
}

export function requireHome({ data_home: home }: Config): void {
  if (existsSync(home)) return;
  throw new CommandError(
    'failed',
    `There is no data home at ${home}. Name it with --home or SWITCHYARD_HOME.`,
  );
}
