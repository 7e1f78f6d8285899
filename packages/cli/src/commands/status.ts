import type { Client } from '@switchyard/client/client';
import { ApiError } from '@switchyard/client/errors';
import { listConsoleRuns } from '@switchyard/contract/conversation/console';
import { listUnreadThreads } from '@switchyard/contract/conversation/read-threads';
import { searchThreads } from '@switchyard/contract/conversation/threads';
import { listInstances } from '@switchyard/contract/dispatch/instance';
import { getOverview } from '@switchyard/contract/dispatch/monitor';
import { getQueue } from '@switchyard/contract/dispatch/queue';
import { listTasks } from '@switchyard/contract/dispatch/tasks';
import { getHealth } from '@switchyard/contract/meta';
import type { Command } from 'commander';
import type { GatewayOptions } from '../gateway-options.ts';
import { openConversations } from '../open-gateway.ts';
import { type OutputOptions, printJson } from '../output.ts';
import { describeStatus, type Status } from '../status-details.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';

/** So that everything fits on one screen. */
const shown = 5;

export function addStatusCommand(program: Command, terminal: Terminal): void {
  const command = program.command('status').action(async (options: GatewayOptions & OutputOptions) => {
    const client = await openConversations(options, terminal);
    const status = await readStatus(client);
    if (options.output === 'json') printJson(terminal, status);
    else terminal.stdout.write(describeStatus(status));
  });
  describeGatewayCommand(command, {
    purpose: 'show on one screen how the gateway is, what runs, what waits, and why',
    examples: ['switchyard status', 'switchyard status -o json'],
    exits: ['ok', 'auth', 'unreachable'],
  });
}

/** An area that is switched off, or that the token does not open, is null. */
async function readStatus(client: Client): Promise<Status> {
  const [health, pool, conversations] = await Promise.all([
    client.call(getHealth),
    unlessAbsent(readPool(client)),
    unlessAbsent(readConversations(client)),
  ]);
  return { url: client.baseUrl, health, pool, conversations };
}

async function readPool({ call }: Client): Promise<NonNullable<Status['pool']>> {
  const [overview, instances, queue, running, waiting] = await Promise.all([
    call(getOverview),
    call(listInstances),
    call(getQueue),
    call(listTasks, { query: { status: 'running', limit: shown } }),
    call(listTasks, { query: { status: 'pending', limit: shown } }),
  ]);
  return { overview, instances, queue, running, waiting };
}

async function readConversations({ call }: Client): Promise<NonNullable<Status['conversations']>> {
  const [{ runs }, asking, unread] = await Promise.all([
    call(listConsoleRuns, { query: { limit: 20 } }),
    call(searchThreads, { body: { status: 'interrupted', limit: shown } }),
    call(listUnreadThreads, { query: { limit: shown } }),
  ]);
  const open = runs.filter(({ status }) => status === 'running' || status === 'pending');
  return { runs: open.slice(0, shown), asking, unread };
}

async function unlessAbsent<Value>(reading: Promise<Value>): Promise<Value | null> {
  try {
    return await reading;
  } catch (error) {
    const isAbsent = error instanceof ApiError && [403, 404, 503].includes(error.status);
    if (isAbsent) return null;
    throw error;
  }
}
