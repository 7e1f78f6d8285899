import { type Pause, pauseQueue, type QueueResume, resumeQueue } from '@switchyard/contract/dispatch/queue';
import { type Command, Option } from 'commander';
import type { GatewayOptions } from '../gateway-options.ts';
import { openGateway } from '../open-gateway.ts';
import { type OutputOptions, printJson } from '../output.ts';
import { plainText } from '../plain-text.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';

interface PauseOptions extends GatewayOptions, OutputOptions {
  user?: string;
  mine?: true;
  pool?: string;
  reason?: string;
}

export function addPause(parent: Command, terminal: Terminal): void {
  const command = addScopeOptions(parent.command('pause'))
    .option('--reason <text>', 'shown to everyone who waits because of it')
    .action(async (options: PauseOptions) => {
      const { call } = await openGateway(options, terminal);
      const { reason } = options;
      const pause = await call(pauseQueue, { body: { ...scopeOf(options), ...(reason && { reason }) } });
      if (options.output === 'json') printJson(terminal, pause);
      else terminal.stdout.write(`${plainText(`${nameOf(pause)}: paused since ${pause.since}`)}\n`);
    });
  describeGatewayCommand(command, {
    purpose: 'pause the queue for everyone, for one user or for the servers of a pool; running tasks go on',
    examples: [
      'switchyard tasks pause --mine --reason "wrong seed"',
      'switchyard tasks pause --reason "new drivers"          # the whole queue (administrators)',
      'switchyard tasks pause --user ada@example.com           # administrators',
      'switchyard tasks pause --pool large                     # administrators',
    ],
    exits: ['ok', 'failed', 'auth', 'unreachable'],
  });
}

export function addResume(parent: Command, terminal: Terminal): void {
  const command = addScopeOptions(parent.command('resume')).action(async (options: PauseOptions) => {
    const { call } = await openGateway(options, terminal);
    const answer = await call(resumeQueue, { body: scopeOf(options) });
    if (options.output === 'json') printJson(terminal, answer);
    else terminal.stdout.write(answer.resumed ? 'Resumed.\n' : 'There was no such pause.\n');
  });
  describeGatewayCommand(command, {
    purpose: 'lift a pause',
    examples: ['switchyard tasks resume --mine', 'switchyard tasks resume'],
    exits: ['ok', 'failed', 'auth', 'unreachable'],
  });
}

function addScopeOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--user <name>', 'tasks of this account: its id or e-mail address').conflicts([
        'mine',
        'pool',
      ]),
    )
    .addOption(new Option('--mine', 'your own tasks').conflicts(['user', 'pool']))
    .addOption(new Option('--pool <tag>', 'the servers with this tag').conflicts(['user', 'mine']));
}

function scopeOf({ user, mine, pool }: PauseOptions): QueueResume {
  if (user !== undefined) return { scope: 'user', target: user };
  if (pool !== undefined) return { scope: 'pool', target: pool };
  return { scope: mine ? 'user' : 'all' };
}

function nameOf({ scope, target }: Pause): string {
  return scope === 'all' ? 'the whole queue' : `${scope} ${target}`;
}
