import {
  changeSettings,
  type InstanceRefusal,
  type NewInstance,
  refusalOf,
  withInstance,
  withoutInstance,
} from '@switchyard/client/settings-change';
import {
  getInstance,
  type Instance,
  type InstanceKind,
  instanceKinds,
  listInstances,
  testInstance,
  updateInstance,
} from '@switchyard/contract/dispatch/instance';
import { listInstanceEvents } from '@switchyard/contract/dispatch/instance-event';
import { instanceIdOf, serverOf } from '@switchyard/contract/dispatch/worker-address';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { describeInstance, eventTable } from '../instance-details.ts';
import { openGateway } from '../open-gateway.ts';
import { collected } from '../option-values.ts';
import { addOutputOption, type OutputOptions, printJson, printTable } from '../output.ts';
import { plainText } from '../plain-text.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { readWorkerAddress } from '../worker-address.ts';

type Options = GatewayOptions & OutputOptions;

interface AddOptions extends GatewayOptions {
  server?: string;
  name?: string;
  kind?: InstanceKind;
  tag?: string[];
  header?: Record<string, string>;
  anyCertificate?: true;
  weight?: number;
}

export function addInstancesCommand(program: Command, terminal: Terminal): void {
  const command = program.command('instances');
  describeCommand(command, {
    purpose: 'list, show, add, test, enable, disable and remove workers',
    examples: ['switchyard instances list', 'switchyard instances add 192.168.1.20:8188'],
  });
  addList(command, terminal);
  addShow(command, terminal);
  addAdd(command, terminal);
  addTest(command, terminal);
  addEnable(command, terminal);
  addDisable(command, terminal);
  addRemove(command, terminal);
}

function addList(parent: Command, terminal: Terminal): void {
  const command = parent.command('list').action(async (options: Options) => {
    const { call } = await openGateway(options, terminal);
    const instances = await call(listInstances);
    if (options.output === 'json') printJson(terminal, instances);
    else printTable(terminal, { columns, rows: instances, none: 'There are no instances.' });
  });
  addOutputOption(command);
  describe(command, {
    purpose: 'list instances with their state',
    examples: ['switchyard instances list', 'switchyard instances list -o json'],
    exits: ['ok', 'auth', 'unreachable'],
  });
}

/** As many events as one page has; failures are searched among them. */
const eventsRead = 200;

function addShow(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('show <id>')
    .option('--events', 'everything that happened to it lately, not only what failed')
    .action(async (instanceId: string, options: Options & { events?: true }) => {
      const { call } = await openGateway(options, terminal);
      const params = { instanceId };
      const instance = await call(getInstance, { params });
      const { items: events } = await call(listInstanceEvents, { params, query: { limit: eventsRead } });
      if (options.output === 'json') return printJson(terminal, { ...instance, events });
      terminal.stdout.write(options.events ? eventTable(events) : describeInstance(instance, events));
    });
  addOutputOption(command);
  describe(command, {
    purpose: 'show one instance: state, devices, memory, models, and what failed lately',
    examples: [
      'switchyard instances show 192.168.1.20:8188',
      'switchyard instances show 192.168.1.20:8188 --events',
    ],
    exits: ['ok', 'auth', 'not_found', 'unreachable'],
  });
}

function addAdd(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('add <address>')
    .option('--server <id>', 'server that it belongs to (default: one of its own, named after its host)')
    .option('--name <text>', 'display name of a new server')
    .addOption(new Option('--kind <kind>', 'kind of a new server').choices([...instanceKinds]))
    .option('--tag <tag>', 'tag of a new server, for run --pool; several times for several', collected)
    .option(
      '--header <name: value>',
      'sent with each request to a new server, for example a password',
      header,
    )
    .option('--any-certificate', 'trust any certificate of a new server, in a trusted network only')
    .option('--weight <n>', 'where several are free, the heavier is taken: 0.1 to 100', weight)
    .action((address: string, options: AddOptions) => add(address, options, terminal));
  describe(command, {
    purpose: 'add a worker to the configuration and test it (administrators)',
    examples: [
      'switchyard instances add 192.168.1.20:8188',
      'switchyard instances add https://gpu.example.com --tag large --header "Authorization: Bearer abc"',
      'switchyard instances add https://user:password@gpu.example.com/comfy/   # below a path, with basic authentication',
    ],
    exits: ['ok', 'failed', 'usage', 'auth', 'conflict', 'unreachable'],
  });
}

async function add(text: string, options: AddOptions, terminal: Terminal): Promise<void> {
  const address = readWorkerAddress(text);
  const { name, kind, tag: tags, header: headers, anyCertificate, weight: given } = options;
  const client = await openGateway(options, terminal);
  const server = {
    ...(name && { name }),
    ...(kind && { kind }),
    ...(tags && { tags }),
    ...(headers && { headers }),
  };
  const added: NewInstance = { address, serverId: options.server, server, anyCertificate, weight: given };
  await changeSettings(client, (settings) => {
    const refusal = refusalOf(settings, added);
    if (refusal) throw refused(refusal);
    return withInstance(settings, added);
  });
  const instanceId = instanceIdOf(address);
  terminal.stdout.write(`${instanceId}\n`);
  const { message } = await client.call(testInstance, { params: { instanceId } });
  terminal.stderr.write(`Added. ${plainText(message)}\n`);
}

function refused(refusal: InstanceRefusal): CommandError {
  switch (refusal.why) {
    case 'there':
      return new CommandError('conflict', `${refusal.instanceId} is there already.`);
    case 'other_path':
      return new CommandError(
        'conflict',
        `${refusal.instanceId} is there already, below ${refusal.path}. An address is one instance: give this worker another port or host name.`,
      );
    case 'server_differs':
      return new CommandError(
        'conflict',
        `The server ${refusal.serverId} exists with its own name, kind, tags, path and TLS. Name a new one with --server, or leave --server out.`,
      );
    case 'headers_needed':
      return new CommandError(
        'usage',
        `The server ${refusal.serverId} sends secret headers, which a new address gets only from you. Add ${refusal.names.map((name) => `--header "${name}: …"`).join(' ')}.`,
      );
  }
}

function addTest(parent: Command, terminal: Terminal): void {
  const command = parent.command('test <id>').action(async (instanceId: string, options: Options) => {
    const { call } = await openGateway(options, terminal);
    const test = await call(testInstance, { params: { instanceId } });
    if (options.output === 'json') printJson(terminal, test);
    else if (test.ok) terminal.stdout.write(`${plainText(test.message)}\n`);
    if (!test.ok) throw new CommandError('failed', test.message);
  });
  addOutputOption(command);
  describe(command, {
    purpose: 'probe a worker now and say what is wrong (administrators)',
    examples: ['switchyard instances test 192.168.1.20:8188'],
    exits: ['ok', 'failed', 'auth', 'not_found', 'unreachable'],
  });
}

function addEnable(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('enable <id>')
    .action(async (instanceId: string, options: GatewayOptions) => {
      const { call } = await openGateway(options, terminal);
      const { state } = await call(updateInstance, { params: { instanceId }, body: { enabled: true } });
      terminal.stderr.write(`${instanceId} is enabled (${state}).\n`);
    });
  describe(command, {
    purpose: 'give a worker tasks again (administrators)',
    examples: ['switchyard instances enable 192.168.1.20:8188'],
    exits: ['ok', 'auth', 'not_found', 'unreachable'],
  });
}

function addDisable(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('disable <id>')
    .option('--force', 'interrupt the running task and queue it again')
    .action(async (instanceId: string, options: GatewayOptions & { force?: true }) => {
      const { call } = await openGateway(options, terminal);
      const { state } = await call(updateInstance, {
        params: { instanceId },
        query: { force: options.force },
        body: { enabled: false },
      });
      terminal.stderr.write(`${instanceId} gets nothing new (${state}).\n`);
    });
  describe(command, {
    purpose: 'drain a worker: running tasks finish, and it gets no new ones (administrators)',
    examples: ['switchyard instances disable 192.168.1.20:8188'],
    exits: ['ok', 'auth', 'not_found', 'unreachable'],
  });
}

function addRemove(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('remove <id>')
    .action(async (instanceId: string, options: GatewayOptions) => {
      const client = await openGateway(options, terminal);
      await changeSettings(client, (settings) => {
        if (serverOf(settings, instanceId)) return withoutInstance(settings, instanceId);
        throw new CommandError(
          'not_found',
          `The configuration has no instance ${instanceId}. (The built-in worker is not part of it and goes when a real one is added.)`,
        );
      });
      terminal.stderr.write(`${instanceId} is removed; what it runs finishes first.\n`);
    });
  describe(command, {
    purpose: 'take a worker out of the configuration (administrators)',
    examples: ['switchyard instances remove 192.168.1.20:8188'],
    exits: ['ok', 'auth', 'not_found', 'conflict', 'unreachable'],
  });
}

function describe(command: Command, text: Parameters<typeof describeCommand>[1]): void {
  addGatewayOptions(command);
  describeCommand(command, { environment: gatewayEnvironment, ...text });
}

const columns: Column<Instance>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'STATE', of: ({ state }) => state },
  { title: 'SERVER', of: ({ serverName }) => serverName },
  { title: 'KIND', of: ({ kind }) => kind },
  { title: 'QUEUE', of: ({ queueRemaining }) => queueRemaining },
  { title: 'VERSION', of: ({ version }) => version },
  { title: 'TASK', of: ({ currentTaskId }) => currentTaskId },
  { title: 'LAST ERROR', of: ({ lastError }) => lastError },
];

function header(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Write "Name: value".');
  return { ...before, [name]: value };
}

function weight(text: string): number {
  const value = Number(text);
  if (value >= 0.1 && value <= 100) return value;
  throw new InvalidArgumentError('Write a number from 0.1 to 100.');
}
