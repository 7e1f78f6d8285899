import { basename, extname } from 'node:path';
import type { Client } from '@switchyard/client/client';
import {
  createWorkflow,
  deleteWorkflow,
  getWorkflow,
  importWorkflow,
  listWorkflows,
  runWorkflow,
  type SavedWorkflow,
  type SavedWorkflowDetail,
  updateWorkflow,
  type WorkflowExport,
  type WorkflowParameter,
} from '@switchyard/contract/dispatch/workflow';
import { foreseeWorkflow, type WorkflowOutlook } from '@switchyard/contract/dispatch/workflow-outlook';
import type { Command } from 'commander';
import { CommandError, type ExitName } from '../exit-codes.ts';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { addPageOptions, type PageOptions, sayHowToGoOn } from '../list-pages.ts';
import { readWorkflow } from '../local-file.ts';
import { openGateway } from '../open-gateway.ts';
import { collected } from '../option-values.ts';
import { addOutputOption, type OutputOptions, printJson, printTable } from '../output.ts';
import { plainText } from '../plain-text.ts';
import type { PrintOptions } from '../print-tasks.ts';
import { parseParams } from '../run-params.ts';
import { runTasks } from '../run-tasks.ts';
import { type Column, details } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { readParams, uploadParams } from '../workflow-run.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';
import { outlookColumns } from './tasks-why.ts';
import { addVersionCommands } from './workflow-versions.ts';

type Options = GatewayOptions & OutputOptions;

interface ListOptions extends Options, PageOptions {}

interface ImportOptions extends Options {
  name?: string;
  description?: string;
  expose?: boolean;
  replace?: true;
}

interface RunOptions extends GatewayOptions, PrintOptions {
  param?: string[];
}

/** The gateway accepts no more. */
const maxWorkflowBytes = 25_000_000;

export function addWorkflowsCommand(program: Command, terminal: Terminal): void {
  const command = program.command('workflows');
  describeCommand(command, {
    purpose: 'save workflows under a name and run them',
    examples: [
      'switchyard workflows import portrait.json --expose',
      'switchyard workflows run portrait -p prompt="a red kite" -o out/',
    ],
  });
  addList(command, terminal);
  addShow(command, terminal);
  addImport(command, terminal);
  addOutlookCommand(command, terminal);
  addRun(command, terminal);
  addVersionCommands(command, terminal, findWorkflow);
  addDelete(command, terminal);
}

function addList(parent: Command, terminal: Terminal): void {
  const command = addPageOptions(parent.command('list'), 200).action(async (options: ListOptions) => {
    const { call } = await openGateway(options, terminal);
    const { limit, offset } = options;
    const list = await call(listWorkflows, { query: { limit, offset } });
    if (options.output === 'json') return printJson(terminal, list);
    printTable(terminal, { columns, rows: list.items, none: 'There are no saved workflows.' });
    sayHowToGoOn(list, { noun: 'workflows', offset }, terminal);
  });
  addOutputOption(command);
  describe(command, {
    purpose: 'list saved workflows by name',
    examples: ['switchyard workflows list', 'switchyard workflows list -o json'],
    exits: ['ok', 'auth', 'unreachable'],
  });
}

function addShow(parent: Command, terminal: Terminal): void {
  const command = parent.command('show <name>').action(async (name: string, options: Options) => {
    const client = await openGateway(options, terminal);
    print(await findWorkflow(client, name), options, terminal);
  });
  addOutputOption(command);
  describe(command, {
    purpose: 'show the parameters of a workflow; -o json shows its graph too',
    examples: ['switchyard workflows show portrait'],
    exits: ['ok', 'auth', 'not_found', 'unreachable'],
  });
}

function addImport(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('import <file>')
    .option('--name <text>', 'name (default: that of the file)')
    .option('--description <text>', 'what it does; agents read it')
    .option('--expose', 'make it a tool of your agent')
    .option('--no-expose', 'take it away from your agent')
    .option('--replace', 'make a new version where there is one of this name')
    .action(async (file: string, options: ImportOptions) => {
      const workflow = readWorkflow(file, { cwd: terminal.cwd, maxBytes: maxWorkflowBytes });
      if (workflow.format === 'switchyard.workflow') {
        const client = await openGateway(options, terminal);
        const query = options.name === undefined ? {} : { name: options.name };
        // The gateway checks the file, and names what is wrong with it.
        const exported = workflow as WorkflowExport;
        return print(await client.call(importWorkflow, { query, body: exported }), options, terminal);
      }
      const name = options.name ?? basename(file, extname(file));
      const { description, expose: exposed } = options;
      const body = {
        workflow,
        ...(description !== undefined && { description }),
        ...(exposed !== undefined && { exposed }),
      };
      const client = await openGateway(options, terminal);
      const present = options.replace && (await named(client, name));
      const saved = present
        ? await client.call(updateWorkflow, { params: { workflowId: present.id }, body })
        : await client.call(createWorkflow, { body: { name, ...body } });
      print(saved, options, terminal);
    });
  addOutputOption(command);
  describe(command, {
    purpose: 'save a workflow (ComfyUI, API format), or one that was exported with its form',
    examples: [
      'switchyard workflows import portrait.json',
      'switchyard workflows import portrait.json --replace --expose --description "Draws a portrait."',
    ],
    exits: ['ok', 'failed', 'usage', 'auth', 'conflict', 'unreachable'],
  });
}

function addRun(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('run <name>')
    .option('-p, --param <key=value>', 'set a parameter; key=@file uploads a file', collected)
    .option('--wait', 'wait for the end, with progress; exit code 1 when the task fails')
    .option('-o, --output-dir <folder>', 'save the outputs there (waits as well)')
    .option('--json', 'print the task as JSON')
    .action((name: string, options: RunOptions) => run(name, options, terminal));
  describe(command, {
    purpose: 'run a saved workflow on the pool',
    examples: [
      'switchyard workflows run portrait -p prompt="a red kite" -o out/',
      'switchyard workflows run invert -p image=@cat.png --wait',
    ],
    exits: ['ok', 'failed', 'usage', 'auth', 'not_found', 'unreachable', 'cancelled'],
  });
}

async function run(name: string, options: RunOptions, terminal: Terminal): Promise<void> {
  const given = readParams(options.param, terminal);
  const client = await openGateway(options, terminal);
  const { id: workflowId } = await findWorkflow(client, name);
  await runTasks({
    client,
    terminal,
    options,
    submit: async (context, onSubmitted) => {
      const params = await uploadParams(given, context);
      context.signal.throwIfAborted();
      const headers = { 'idempotency-key': crypto.randomUUID() };
      onSubmitted(await client.call(runWorkflow, { params: { workflowId }, body: { params }, headers }));
    },
  });
}

function addDelete(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('delete <names...>')
    .action(async (names: string[], options: GatewayOptions) => {
      const client = await openGateway(options, terminal);
      for (const name of names) {
        const { id: workflowId } = await findWorkflow(client, name);
        await client.call(deleteWorkflow, { params: { workflowId } });
        terminal.stdout.write(`${workflowId}\n`);
      }
    });
  describe(command, {
    purpose: 'delete saved workflows with their versions',
    examples: ['switchyard workflows delete portrait'],
    exits: ['ok', 'auth', 'not_found', 'unreachable'],
  });
}

/** Finds a workflow by its name, otherwise by its id. */
export async function findWorkflow(client: Client, nameOrId: string): Promise<SavedWorkflowDetail> {
  const id = (await named(client, nameOrId))?.id ?? nameOrId;
  if (id.length > 64) throw new CommandError('not_found', `There is no workflow "${plainText(nameOrId)}".`);
  return client.call(getWorkflow, { params: { workflowId: id } });
}

async function named(client: Client, name: string): Promise<SavedWorkflow | undefined> {
  if (name.length > 100) return undefined;
  return (await client.call(listWorkflows, { query: { name } })).items[0];
}

function print(saved: SavedWorkflowDetail, options: Options, terminal: Terminal): void {
  if (options.output === 'json') {
    printJson(terminal, saved);
    return;
  }
  if (saved.lostFields)
    terminal.stderr.write(`not in the graph any more: ${plainText(saved.lostFields.join(', '))}\n`);
  const exposed = saved.exposed ? ', a tool of your agent' : '';
  terminal.stderr.write(`${plainText(saved.name)}, version ${saved.version}${exposed}\n`);
  const rows = saved.parameters.filter(({ hidden }) => !hidden);
  printTable(terminal, { columns: parameterColumns, rows, none: 'It has no parameters.' });
}

function describe(command: Command, help: { purpose: string; examples: string[]; exits: ExitName[] }): void {
  addGatewayOptions(command);
  describeCommand(command, { ...help, environment: gatewayEnvironment });
}

const columns: Column<SavedWorkflow>[] = [
  { title: 'NAME', of: ({ name }) => name },
  { title: 'VERSION', of: ({ version }) => String(version) },
  { title: 'TOOL', of: ({ exposed }) => (exposed ? 'yes' : '') },
  { title: 'UPDATED', of: ({ updatedAt }) => updatedAt },
  { title: 'DESCRIPTION', of: ({ description }) => description },
];

const parameterColumns: Column<WorkflowParameter>[] = [
  { title: 'PARAMETER', of: ({ name }) => name },
  { title: 'TYPE', of: ({ type }) => type },
  {
    title: 'DEFAULT',
    of: ({ required, default: value }) => (required ? '(required)' : JSON.stringify(value)),
  },
  { title: 'LABEL', of: ({ label }) => label },
];

function addOutlookCommand(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('outlook <name>')
    .option('-p, --param <key=value>', 'a parameter as the run will have it', collected)
    .action(async (name: string, options: GatewayOptions & OutputOptions & { param?: string[] }) => {
      const client = await openGateway(options, terminal);
      const { id: workflowId } = await findWorkflow(client, name);
      const params: Record<string, unknown> = {};
      for (const [key, given] of parseParams(options.param ?? [])) {
        // The content of a file decides nothing here, so that it need not be uploaded.
        params[key] = 'path' in given ? given.path : given.value;
      }
      const outlook = await client.call(foreseeWorkflow, { params: { workflowId }, body: { params } });
      if (options.output === 'json') return printJson(terminal, outlook);
      terminal.stdout.write(`${details(factsOf(outlook))}\n`);
      printTable(terminal, {
        columns: outlookColumns,
        rows: outlook.instances,
        none: 'There are no instances.',
      });
    });
  describeGatewayCommand(command, {
    purpose: 'say where a saved workflow could run, how long it takes and what it costs',
    examples: ['switchyard workflows outlook portrait -p model=flux-dev.safetensors'],
  });
}

function factsOf({ totals, seconds, cost }: WorkflowOutlook): [string, string | null][] {
  return [
    ['could run on', `${totals.couldRun} of ${totals.instances} instances`],
    ['takes', seconds ? `${shown(seconds.low)} to ${shown(seconds.high)} s` : 'not known before five runs'],
    ['costs', cost && `${cost.low.toFixed(4)} to ${cost.high.toFixed(4)} ${cost.currency}`],
  ];
}

function shown(seconds: number): string {
  return String(Math.round(seconds * 10) / 10);
}
