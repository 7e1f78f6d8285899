import {
  applyThreadRetention,
  type OldThreads,
  previewThreadRetention,
} from '@switchyard/contract/conversation/thread-retention';
import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { CommandError } from '../exit-codes.ts';
import type { GatewayOptions } from '../gateway-options.ts';
import { openConversations } from '../open-gateway.ts';
import { seconds } from '../option-values.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';

interface ExpireOptions extends GatewayOptions, OutputOptions {
  olderThan?: number;
  user?: string;
  dryRun?: true;
  yes?: true;
}

export function addExpire(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('expire')
    .option(
      '--older-than <age>',
      'age since the last change (default: conversation.thread_retention)',
      seconds,
    )
    .option('--user <user>', 'only the threads of this account: its id or its e-mail address')
    .option('--dry-run', 'say what would go, and delete nothing')
    .option('--yes', 'do not ask')
    .action((options: ExpireOptions) => expire(options, terminal));
  describeGatewayCommand(command, {
    purpose: 'delete the old threads of all users, with runs and files (administrators)',
    examples: [
      'switchyard threads expire --dry-run',
      'switchyard threads expire --older-than 365d --user second@studio.example',
    ],
    exits: ['ok', 'failed', 'usage', 'auth', 'not_found', 'unreachable', 'cancelled'],
  });
}

async function expire(options: ExpireOptions, terminal: Terminal): Promise<void> {
  const { call } = await openConversations(options, terminal);
  const chosen = { older_than_seconds: options.olderThan, user: options.user };
  const found = await call(previewThreadRetention, { query: chosen });
  if (options.output !== 'json') print(found, terminal);
  if (options.dryRun || found.threads === 0) {
    if (options.output === 'json') printJson(terminal, { ...found, deleted: 0, kept: 0 });
    return;
  }
  if (!options.yes) await confirm(`Delete ${found.threads} threads with everything in them?`, terminal);
  const done = { deleted: 0, kept: 0 };
  for (let more = true; more; ) {
    const step = await call(applyThreadRetention, { body: chosen });
    done.deleted += step.deleted;
    done.kept = step.kept;
    // A step that deletes nothing would be the same again.
    more = step.more && step.deleted > 0;
  }
  if (options.output === 'json') printJson(terminal, { ...found, ...done });
  else terminal.stderr.write(`${done.deleted} threads are deleted.\n`);
  if (done.kept > 0)
    throw new CommandError('failed', `${done.kept} threads could not be deleted; the log has the reasons.`);
}

function print({ before, threads, users, users_left_out: leftOut }: OldThreads, terminal: Terminal): void {
  printTable(terminal, { columns, rows: users, none: `No thread is older than ${before}.` });
  if (threads === 0) return;
  const more = leftOut === 0 ? '' : ` ${leftOut} more users are not in the list.`;
  terminal.stderr.write(`${threads} threads have not changed since ${before}.${more}\n`);
}

const columns: Column<OldThreads['users'][number]>[] = [
  { title: 'USER', of: ({ email, user_id }) => email ?? user_id },
  { title: 'THREADS', of: ({ threads }) => String(threads) },
  { title: 'OLDEST', of: ({ oldest }) => oldest },
];
