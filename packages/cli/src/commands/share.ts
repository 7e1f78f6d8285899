import type { Client } from '@switchyard/client/client';
import { copyFile } from '@switchyard/contract/dispatch/file';
import {
  giveShare,
  listReceivedShares,
  listShares,
  type ReceivedShare,
  type Share,
  type ShareKind,
  shareKinds,
  takeBackShare,
} from '@switchyard/contract/dispatch/share';
import { copyWorkflow, listWorkflows, switchSharedTool } from '@switchyard/contract/dispatch/workflow';
import { Argument, type Command, Option } from 'commander';
import type { GatewayOptions } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { addPageOptions, type PageOptions, sayHowToGoOn } from '../list-pages.ts';
import { openGateway } from '../open-gateway.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import { plainText } from '../plain-text.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';
import { addSwitchCommands } from './switch-commands.ts';

type Options = GatewayOptions & OutputOptions;

interface GiveOptions extends Options {
  to: string;
  run?: true;
}

interface ListOptions extends Options, PageOptions {
  kind?: ShareKind;
}

const anId = '0196a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b';

export function addShareCommand(program: Command, terminal: Terminal): void {
  const command = program.command('share');
  describeCommand(command, {
    purpose: 'share workflows, collections and files, and see what others share with you',
    examples: ['switchyard share give workflow portrait --to everyone --run', 'switchyard share received'],
  });
  addGive(command, terminal);
  addLists(command, terminal);
  addTakeBack(command, terminal);
  addSwitches(command, terminal);
  addCopy(command, terminal);
}

const kindArgument = () => new Argument('<kind>', 'what it is').choices([...shareKinds]);
const kindOption = () => new Option('--kind <kind>', 'only this kind').choices([...shareKinds]);

function addGive(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('give')
    .addArgument(kindArgument())
    .argument('<id>', 'its id, or the name of a workflow')
    .requiredOption('--to <who>', 'the e-mail address of a person, or everyone')
    .option('--run', 'a workflow may be run as well')
    .action(async (kind: ShareKind, given: string, { to: who, run, ...options }: GiveOptions) => {
      const client = await openGateway(options, terminal);
      const { call } = client;
      const subjectId = (kind === 'workflow' && (await idOf(client, given))) || given;
      const to =
        who === 'everyone' ? ({ kind: 'everyone' } as const) : ({ kind: 'person', email: who } as const);
      const share = await call(giveShare, { body: { kind, subjectId, to, ...(run && { may: 'run' }) } });
      if (options.output === 'json') return printJson(terminal, share);
      terminal.stdout.write(`${share.id}\n`);
      terminal.stderr.write(`${plainText(share.name)} is shared with ${plainText(whoHas(share))}.\n`);
    });
  describeGatewayCommand(command, {
    purpose: 'let a person or everyone read a thing, or run a workflow',
    examples: [
      'switchyard share give workflow portrait --to ada@example.com --run',
      'switchyard share give file 2b1cXk5x0Zc3v4Q9eYt7Wg --to everyone',
    ],
  });
}

function addLists(parent: Command, terminal: Terminal): void {
  const list = addPageOptions(parent.command('list').addOption(kindOption()), 200);
  list.action(async ({ kind, limit, offset, ...options }: ListOptions) => {
    const { call } = await openGateway(options, terminal);
    const shares = await call(listShares, { query: { kind, limit, offset } });
    if (options.output === 'json') return printJson(terminal, shares);
    printTable(terminal, { columns, rows: shares.items, none: 'You share nothing.' });
    sayHowToGoOn(shares, { noun: 'shares', offset }, terminal);
  });
  describeGatewayCommand(list, {
    purpose: 'list what you share, and with whom',
    examples: ['switchyard share list', 'switchyard share list --kind workflow -o json'],
  });
  const received = addPageOptions(parent.command('received').addOption(kindOption()), 200);
  received.action(async ({ kind, limit, offset, ...options }: ListOptions) => {
    const { call } = await openGateway(options, terminal);
    const shares = await call(listReceivedShares, { query: { kind, limit, offset } });
    if (options.output === 'json') return printJson(terminal, shares);
    printTable(terminal, {
      columns: receivedColumns,
      rows: shares.items,
      none: 'Nothing is shared with you.',
    });
    sayHowToGoOn(shares, { noun: 'shares', offset }, terminal);
  });
  describeGatewayCommand(received, {
    purpose: 'list what others share with you',
    examples: ['switchyard share received'],
  });
}

function addTakeBack(parent: Command, terminal: Terminal): void {
  const command = parent.command('take-back <id>').action(async (shareId: string, options: Options) => {
    const { call } = await openGateway(options, terminal);
    const taken = await call(takeBackShare, { params: { shareId } });
    if (options.output === 'json') printJson(terminal, taken);
    else terminal.stderr.write(`${taken.id} is taken back.\n`);
  });
  describeGatewayCommand(command, {
    purpose: 'take a share back; share list has the ids',
    examples: [`switchyard share take-back ${anId}`],
  });
}

function addSwitches(parent: Command, terminal: Terminal): void {
  addSwitchCommands(parent, {
    argument: '<workflow-id>',
    example: anId,
    purposes: {
      enable: 'give a workflow that is shared with you to your agents',
      disable: 'take a workflow that is shared with you from your agents',
    },
    describe: describeGatewayCommand,
    act: async (workflowId, on, options: Options) => {
      const { call } = await openGateway(options, terminal);
      const workflow = await call(switchSharedTool, { params: { workflowId }, body: { on } });
      if (options.output === 'json') return printJson(terminal, workflow);
      const state = on ? 'a tool of your agents' : 'no tool of your agents';
      terminal.stderr.write(`${plainText(workflow.name)} is ${state}.\n`);
    },
  });
}

function addCopy(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('copy')
    .addArgument(new Argument('<kind>', 'what it is').choices(['workflow', 'file']))
    .argument('<id>')
    .option('--name <text>', 'the name of the copy of a workflow (default: the same)')
    .action(async (kind: string, id: string, { name, ...options }: Options & { name?: string }) => {
      const { call } = await openGateway(options, terminal);
      const copy =
        kind === 'workflow'
          ? await call(copyWorkflow, { params: { workflowId: id }, body: name === undefined ? {} : { name } })
          : await call(copyFile, { params: { fileId: id } });
      if (options.output === 'json') return printJson(terminal, copy);
      terminal.stdout.write(`${'id' in copy ? copy.id : copy.fileId}\n`);
    });
  describeGatewayCommand(command, {
    purpose: 'save a copy of a workflow or a file as your own; prints its id',
    examples: [`switchyard share copy workflow ${anId} --name "my portrait"`],
  });
}

/** The id of the caller's workflow of this name. */
async function idOf(client: Client, name: string): Promise<string | undefined> {
  if (name.length > 100) return undefined;
  return (await client.call(listWorkflows, { query: { name } })).items[0]?.id;
}

function whoHas({ to }: Share): string {
  return to.email ?? 'everyone';
}

const columns: Column<Share>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'KIND', of: ({ kind }) => kind },
  { title: 'NAME', of: ({ name }) => name },
  { title: 'TO', of: whoHas },
  { title: 'MAY', of: ({ may }) => may },
  { title: 'SINCE', of: ({ createdAt }) => createdAt },
];

const receivedColumns: Column<ReceivedShare>[] = [
  { title: 'ID', of: ({ subjectId }) => subjectId },
  { title: 'KIND', of: ({ kind }) => kind },
  { title: 'NAME', of: ({ name }) => name },
  { title: 'FROM', of: ({ from }) => from },
  { title: 'MAY', of: ({ may }) => may },
  { title: 'TOOL', of: ({ tool }) => (tool === 'off' ? '' : (tool ?? '')) },
  { title: 'SINCE', of: ({ sharedAt }) => sharedAt },
];
