import { loadConfig } from '@switchyard/server/config/load';
import { systemClock } from '@switchyard/server/lib/clock';
import type { Command } from 'commander';
import { addHomeOptions, type HomeFlags } from '../gateway-home.ts';
import { describeCommand } from '../help.ts';
import { seconds } from '../option-values.ts';
import { addOutputOption, type OutputOptions, printJson, printTable } from '../output.ts';
import type { Terminal } from '../terminal.ts';

interface RotateFlags extends HomeFlags, OutputOptions {
  overlap?: number;
  lead: number;
  file?: string;
}

export function addSecretsCommand(program: Command, terminal: Terminal): void {
  const command = program.command('secrets');
  describeCommand(command, {
    purpose: 'the secret from which every key of the gateway is derived',
    examples: ['switchyard secrets rotate'],
  });
  addRotate(command, terminal);
}

function addRotate(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('rotate')
    .option(
      '--overlap <duration>',
      'accept what the former secrets have signed for so long (default: until it has expired); 0 ends all sessions and links',
      seconds,
    )
    .option(
      '--lead <duration>',
      'let the new secret sign after so long, when every replica has read it',
      seconds,
      60,
    )
    .option(
      '--file <path>',
      'rotate a copy of the file, which you put in place yourself; writes no audit record',
    )
    .action((options: RotateFlags) => rotate(options, terminal));
  addHomeOptions(command);
  addOutputOption(command);
  describeCommand(command, {
    purpose:
      'make a new secret for sessions, CSRF values, links and names on workers; works beside a running gateway',
    examples: [
      'switchyard secrets rotate',
      'switchyard secrets rotate --overlap 0    # somebody knows the secret: all sign in again',
      'switchyard secrets rotate --file ./jwt_secret --lead 5m',
    ],
    exits: ['ok', 'failed', 'config', 'unreachable'],
    environment: { AUTH_JWT_SECRET_FILE: 'the file, where it is not in the data home' },
  });
}

async function rotate(
  { overlap, lead, file, output, ...flags }: RotateFlags,
  terminal: Terminal,
): Promise<void> {
  const { env, cwd, stderr } = terminal;
  const { config } = loadConfig({ flags, env, cwd });
  const [{ rotateSecrets }, { createLogger }, { resolve }] = await Promise.all([
    import('@switchyard/server/ops/rotate-secrets'),
    import('@switchyard/server/platform/telemetry/logger'),
    import('node:path'),
  ]);
  const rotation = await rotateSecrets({
    config,
    file: file === undefined ? undefined : resolve(cwd, file),
    overlapMs: overlap === undefined ? undefined : overlap * 1_000,
    leadMs: lead * 1_000,
    clock: systemClock,
    log: createLogger(config.observability.log),
  });
  if (output === 'json') return printJson(terminal, rotation);
  printTable(terminal, {
    columns: [
      { title: 'SECRET', of: ({ id }) => id },
      { title: 'SIGNS FROM', of: ({ signsFrom }) => signsFrom ?? '' },
      { title: 'ACCEPTED UNTIL', of: ({ acceptedUntil }) => acceptedUntil ?? '' },
    ],
    rows: rotation.secrets,
    none: '',
  });
  stderr.write(
    file === undefined
      ? `They are in ${rotation.path}. A running gateway reads it within seconds; nothing has to be restarted.\n`
      : `They are in ${rotation.path}. Put it in place on every replica within the lead.\n`,
  );
}
