import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Client } from '@switchyard/client/client';
import {
  compareWorkflowVersions,
  exportWorkflow,
  listWorkflowVersions,
  noteWorkflowVersion,
  type ParameterEdit,
  type SavedWorkflowDetail,
  type SavedWorkflowVersion,
  updateWorkflow,
  type VersionDifference,
} from '@switchyard/contract/dispatch/workflow';
import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import type { GatewayOptions } from '../gateway-options.ts';
import { openGateway } from '../open-gateway.ts';
import { collected, wholeNumber } from '../option-values.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';

type Options = GatewayOptions & OutputOptions;
type Find = (client: Client, nameOrId: string) => Promise<SavedWorkflowDetail>;

interface EditOptions extends Options {
  pin?: string[];
  unpin?: string[];
  hide?: string[];
  show?: string[];
  label?: string[];
  describe?: string[];
  rename?: string[];
  notes?: string;
  cover?: string;
}

const version = wholeNumber(1, 2_147_483_647);

/** The commands for the form of a workflow and for its versions. */
export function addVersionCommands(parent: Command, terminal: Terminal, find: Find): void {
  addEdit(parent, terminal, find);
  addVersions(parent, terminal, find);
  addDifference(parent, terminal, find);
  addRestore(parent, terminal, find);
  addExport(parent, terminal, find);
}

function addEdit(parent: Command, terminal: Terminal, find: Find): void {
  const command = parent
    .command('edit <name>')
    .option('--pin <field>', 'put a field at the top of the form, behind those that are there', collected)
    .option('--unpin <field>', 'take a field from the top', collected)
    .option('--hide <field>', 'keep a field at its value', collected)
    .option('--show <field>', 'let runs set a field', collected)
    .option('--label <field=text>', 'what a field is called in the form', collected)
    .option('--describe <field=text>', 'the help text of a field', collected)
    .option('--rename <field=name>', 'the name of a field in commands', collected)
    .option('--notes <text>', 'what the new version is for')
    .option('--cover <file>', 'one of your pictures by its id, or "last" for the last result')
    .action(async (name: string, options: EditOptions) => {
      const client = await openGateway(options, terminal);
      const { id: workflowId, version: present, parameters: fields } = await find(client, name);
      const pinned = fields.filter((field) => field.pinned).length;
      const parameters = editsOf(options, pinned);
      const { notes = '', cover } = options;
      if (parameters.length === 0 && cover === undefined)
        throw new CommandError('usage', 'Nothing to change: name a field, such as --pin prompt.');
      const body = {
        ...(parameters.length > 0 && { parameters, notes }),
        ...(cover !== undefined && { coverFileId: cover === 'last' ? null : cover }),
        version: present,
      };
      const saved = await client.call(updateWorkflow, { params: { workflowId }, body });
      if (options.output === 'json') return printJson(terminal, saved);
      terminal.stdout.write(`version ${saved.version}\n`);
    });
  describeGatewayCommand(command, {
    purpose: 'arrange the form of a workflow, as a new version, or choose its cover',
    examples: ['switchyard workflows edit portrait --pin prompt --label prompt="What to draw" --hide steps'],
    exits: ['ok', 'failed', 'usage', 'auth', 'not_found', 'conflict', 'unreachable'],
  });
}

function editsOf(options: EditOptions, pinned: number): ParameterEdit[] {
  const { pin = [], unpin = [], hide = [], show = [], label = [], describe = [], rename = [] } = options;
  const pairs = (texts: string[]) => texts.map(pairIn);
  return [
    ...pin.map((name, index) => ({ name, pinned: true, position: pinned + index })),
    ...unpin.map((name) => ({ name, pinned: false })),
    ...hide.map((name) => ({ name, hidden: true })),
    ...show.map((name) => ({ name, hidden: false })),
    ...pairs(label).map(([name, text]) => ({ name, label: text })),
    ...pairs(describe).map(([name, description]) => ({ name, description })),
    ...pairs(rename).map(([name, next]) => ({ name, rename: next })),
  ];
}

function pairIn(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new CommandError('usage', `Write a field and its text as field=text, not "${text}".`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function addVersions(parent: Command, terminal: Terminal, find: Find): void {
  const command = parent
    .command('versions <name>')
    .option('--of <version>', 'the version that --notes belongs to', version)
    .option('--notes <text>', 'write the notes of a version')
    .action(async (name: string, options: Options & { of?: number; notes?: string }) => {
      const client = await openGateway(options, terminal);
      const { id: workflowId, version: newest } = await find(client, name);
      const { notes, of = newest } = options;
      if (notes !== undefined)
        await client.call(noteWorkflowVersion, { params: { workflowId, version: of }, body: { notes } });
      const versions = await client.call(listWorkflowVersions, { params: { workflowId } });
      if (options.output === 'json') return printJson(terminal, versions);
      printTable(terminal, { columns: versionColumns, rows: versions, none: '' });
    });
  describeGatewayCommand(command, {
    purpose: 'list the versions of a workflow with their notes, or write the notes of one',
    examples: [
      'switchyard workflows versions portrait',
      'switchyard workflows versions portrait --of 3 --notes "Softer light."',
    ],
  });
}

function addDifference(parent: Command, terminal: Terminal, find: Find): void {
  const command = parent
    .command('difference <name> <left> [right]')
    .action(async (name: string, left: string, right: string | undefined, options: Options) => {
      const client = await openGateway(options, terminal);
      const { id: workflowId } = await find(client, name);
      const query = { left: version(left), ...(right !== undefined && { right: version(right) }) };
      const difference = await client.call(compareWorkflowVersions, { params: { workflowId }, query });
      if (options.output === 'json') return printJson(terminal, difference);
      const rows = difference.differences;
      printTable(terminal, { columns: differenceColumns, rows, none: 'The versions are alike.' });
    });
  describeGatewayCommand(command, {
    purpose: 'show what differs between two versions, the second being the newest by default',
    examples: ['switchyard workflows difference portrait 1'],
  });
}

function addRestore(parent: Command, terminal: Terminal, find: Find): void {
  const command = parent
    .command('restore <name> <version>')
    .option('--notes <text>', 'what the new version is for')
    .action(async (name: string, text: string, options: Options & { notes?: string }) => {
      const client = await openGateway(options, terminal);
      const { id: workflowId } = await find(client, name);
      const body = { restore: version(text), notes: options.notes ?? '' };
      const saved = await client.call(updateWorkflow, { params: { workflowId }, body });
      if (options.output === 'json') return printJson(terminal, saved);
      terminal.stdout.write(`version ${saved.version}\n`);
    });
  describeGatewayCommand(command, {
    purpose: 'make an older version the newest, with its graph and its form',
    examples: ['switchyard workflows restore portrait 2'],
  });
}

function addExport(parent: Command, terminal: Terminal, find: Find): void {
  const command = parent
    .command('export <name> [file]')
    .option('--of <version>', 'another version than the newest', version)
    .action(async (name: string, path: string | undefined, options: GatewayOptions & { of?: number }) => {
      const client = await openGateway(options, terminal);
      const { id: workflowId } = await find(client, name);
      const query = options.of === undefined ? {} : { version: options.of };
      const file = await client.call(exportWorkflow, { params: { workflowId }, query });
      const content = `${JSON.stringify(file, null, 2)}\n`;
      if (path === undefined) terminal.stdout.write(content);
      else writeFileSync(resolve(terminal.cwd, path), content, { flag: 'wx' });
    });
  describeGatewayCommand(command, {
    purpose: 'write a workflow as one file: graph, form, notes and cover',
    examples: ['switchyard workflows export portrait portrait.workflow.json'],
  });
}

const versionColumns: Column<SavedWorkflowVersion>[] = [
  { title: 'VERSION', of: ({ version: number }) => String(number) },
  { title: 'SAVED', of: ({ createdAt }) => createdAt },
  { title: 'NOTES', of: ({ notes }) => notes },
];

type Row = VersionDifference['differences'][number];

const differenceColumns: Column<Row>[] = [
  { title: 'PART', of: ({ part }) => part },
  { title: 'OF', of: ({ title }) => title },
  { title: 'FIELD', of: ({ field }) => field },
  { title: 'LEFT', of: ({ left }) => (left === undefined ? '' : JSON.stringify(left)) },
  { title: 'RIGHT', of: ({ right }) => (right === undefined ? '' : JSON.stringify(right)) },
];
