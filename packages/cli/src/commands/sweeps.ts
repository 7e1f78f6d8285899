import { resolve } from 'node:path';
import {
  cancelSweep,
  createSweep,
  deleteSweep,
  foreseeSweep,
  getSweep,
  listSweepCells,
  listSweeps,
  type NewSweep,
  renameSweep,
  retriedStates,
  retrySweep,
  type Sweep,
  type SweepCell,
  type SweepOutlook,
} from '@switchyard/contract/dispatch/sweep';
import { type Command, Option } from 'commander';
import type { GatewayOptions } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { addPageOptions, type PageOptions, sayHowToGoOn } from '../list-pages.ts';
import { openGateway } from '../open-gateway.ts';
import { collected, wholeNumber } from '../option-values.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import { axesOf, countOfSeeds, linesOfFile, valuesOfAxis } from '../sweep-options.ts';
import { type Column, details } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { readParams, uploadParams } from '../workflow-run.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';
import { findWorkflow } from './workflows.ts';

type Options = GatewayOptions & OutputOptions;

interface RunOptions extends Options {
  vary?: string[];
  lines?: string[];
  seeds?: string[];
  param?: string[];
  wildcards?: string[];
  wildcardSeed?: number;
  name?: string;
  priority?: number;
  pool?: string;
  dryRun?: true;
}

export function addSweepsCommand(program: Command, terminal: Terminal): void {
  const command = program.command('sweeps');
  describeCommand(command, {
    purpose: 'run a saved workflow with many values, as a grid',
    examples: ['switchyard sweeps run portrait --vary steps=10,20,30 --vary cfg=5..9/2'],
  });
  addRun(command, terminal);
  addList(command, terminal);
  addShow(command, terminal);
  addChanges(command, terminal);
}

function addRun(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('run <workflow>')
    .option('--vary <key=values>', 'an axis: 10,20,30, a JSON list, or from..to/step', collected)
    .option('--lines <key=file>', 'an axis: each line of a text file', collected)
    .option('--seeds <key=count>', 'an axis: so many random seeds', collected)
    .option('-p, --param <key=value>', 'what all runs have in common; key=@file uploads a file', collected)
    .option('--wildcards <key>', 'pick one of {a|b} in this text for each run', collected)
    .option('--wildcard-seed <n>', 'the same seed picks the same words', wholeNumber(0, 2 ** 31))
    .option('--name <text>', 'name of the sweep (default: that of the workflow)')
    .option('--priority <n>', '-100 to 100, higher goes first', wholeNumber(-100, 100))
    .option('--pool <tag>', 'run on servers with this tag only')
    .option('--dry-run', 'only say how many runs it makes, how long they take and what they cost')
    .action((workflow: string, options: RunOptions) => run(workflow, options, terminal));
  describeGatewayCommand(command, {
    purpose: 'start a sweep; the axes stand in the order --vary, --lines, --seeds',
    examples: [
      'switchyard sweeps run portrait --vary steps=10..30/10 --seeds seed=4 --dry-run',
      'switchyard sweeps run portrait --lines prompt=prompts.txt -p steps=20',
      'switchyard sweeps run portrait -p prompt="a {red|blue} kite" --wildcards prompt --seeds seed=8',
    ],
    exits: ['ok', 'failed', 'usage', 'auth', 'not_found', 'unreachable'],
  });
}

async function run(workflow: string, options: RunOptions, terminal: Terminal): Promise<void> {
  const common = readParams(options.param, terminal);
  const axes = [
    ...axesOf(options.vary, valuesOfAxis),
    ...axesOf(options.lines, (path) => linesOfFile(resolve(terminal.cwd, path))),
    ...axesOf(options.seeds, countOfSeeds),
  ];
  const client = await openGateway(options, terminal);
  const { id: workflowId } = await findWorkflow(client, workflow);
  const { signal } = new AbortController();
  const params = await uploadParams(common, { client, terminal, signal });
  const { name, wildcards, wildcardSeed, priority, pool } = options;
  const given = { name, wildcards, wildcardSeed, priority, pool };
  const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const body: NewSweep = { workflowId, params, axes, ...settings };
  if (options.dryRun) {
    const outlook = await client.call(foreseeSweep, { body });
    if (options.output === 'json') return printJson(terminal, outlook);
    terminal.stdout.write(`${details(factsOf(outlook))}\n`);
    return;
  }
  const headers = { 'idempotency-key': crypto.randomUUID() };
  print(await client.call(createSweep, { body, headers }), options, terminal);
}

function addList(parent: Command, terminal: Terminal): void {
  const command = addPageOptions(parent.command('list'), 200)
    .option('--workflow <name>', 'only those of this workflow')
    .action(async (options: Options & PageOptions & { workflow?: string }) => {
      const client = await openGateway(options, terminal);
      const { limit, offset, workflow } = options;
      const workflowId = workflow === undefined ? undefined : (await findWorkflow(client, workflow)).id;
      const list = await client.call(listSweeps, { query: { limit, offset, workflowId } });
      if (options.output === 'json') return printJson(terminal, list);
      printTable(terminal, { columns, rows: list.items, none: 'There are no sweeps.' });
      sayHowToGoOn(list, { noun: 'sweeps', offset }, terminal);
    });
  describeGatewayCommand(command, {
    purpose: 'list your sweeps, the newest first',
    examples: ['switchyard sweeps list --workflow portrait'],
  });
}

function addShow(parent: Command, terminal: Terminal): void {
  const command = parent.command('show <id>').action(async (sweepId: string, options: Options) => {
    const { call } = await openGateway(options, terminal);
    const sweep = await call(getSweep, { params: { sweepId } });
    const cells: SweepCell[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await call(listSweepCells, { params: { sweepId }, query: { limit: 200, cursor } });
      cells.push(...page.items);
      cursor = page.nextCursor;
    }
    if (options.output === 'json') return printJson(terminal, { ...sweep, cells });
    terminal.stderr.write(`${summaryOf(sweep)}\n`);
    printTable(terminal, { columns: cellColumns, rows: cells, none: 'It has no cells.' });
  });
  describeGatewayCommand(command, {
    purpose: 'show the cells of a sweep with their values, tasks and files',
    examples: ['switchyard sweeps show 0196a1b2-0000-7000-8000-000000000000 -o json'],
  });
}

function addChanges(parent: Command, terminal: Terminal): void {
  const cancel = parent.command('cancel <id>').action(async (sweepId: string, options: Options) => {
    const { call } = await openGateway(options, terminal);
    print(await call(cancelSweep, { params: { sweepId } }), options, terminal);
  });
  describeGatewayCommand(cancel, {
    purpose: 'make no more tasks of a sweep, and cancel those that have not ended',
    examples: ['switchyard sweeps cancel 0196a1b2-0000-7000-8000-000000000000'],
  });
  const retry = parent
    .command('retry <id>')
    .addOption(
      new Option('--states <state...>', 'the cells to run again (default: failed refused)').choices(
        retriedStates,
      ),
    )
    .action(async (sweepId: string, options: Options & { states?: (typeof retriedStates)[number][] }) => {
      const { call } = await openGateway(options, terminal);
      const body = options.states ? { states: options.states } : {};
      print(await call(retrySweep, { params: { sweepId }, body }), options, terminal);
    });
  describeGatewayCommand(retry, {
    purpose: 'run cells of a sweep again that have no result',
    examples: ['switchyard sweeps retry 0196a1b2-0000-7000-8000-000000000000 --states cancelled stopped'],
  });
  const rename = parent
    .command('rename <id> <name>')
    .action(async (sweepId: string, name: string, options: Options) => {
      const { call } = await openGateway(options, terminal);
      print(await call(renameSweep, { params: { sweepId }, body: { name } }), options, terminal);
    });
  describeGatewayCommand(rename, {
    purpose: 'give a sweep another name',
    examples: ['switchyard sweeps rename 0196a1b2-0000-7000-8000-000000000000 "Steps and strength"'],
  });
  const remove = parent.command('delete <id>').action(async (sweepId: string, options: Options) => {
    const { call } = await openGateway(options, terminal);
    const gone = await call(deleteSweep, { params: { sweepId } });
    if (options.output === 'json') printJson(terminal, gone);
    else terminal.stdout.write(`${gone.id}\n`);
  });
  describeGatewayCommand(remove, {
    purpose: 'delete a sweep; its tasks and files stay',
    examples: ['switchyard sweeps delete 0196a1b2-0000-7000-8000-000000000000'],
  });
}

function print(sweep: Sweep, { output }: OutputOptions, terminal: Terminal): void {
  if (output === 'json') {
    printJson(terminal, sweep);
    return;
  }
  terminal.stderr.write(`${summaryOf(sweep)}\n`);
  terminal.stdout.write(`${sweep.id}\n`);
}

/** `Portrait: 9 runs (3 steps × 3 cfg), 5 completed, 4 pending` */
function summaryOf({ name, total, axes, counts, waitsFor }: Sweep): string {
  const sides = axes.map(({ param, count }) => `${count} ${param}`).join(' × ');
  const states = Object.entries(counts).flatMap(([state, count]) => (count > 0 ? [`${count} ${state}`] : []));
  return [`${name}: ${total} runs (${sides})`, ...states, ...(waitsFor === null ? [] : [waitsFor])].join(
    ', ',
  );
}

function factsOf({ total, maxRuns, totals, seconds, cost }: SweepOutlook): [string, string | null][] {
  return [
    ['runs', `${total} of at most ${maxRuns}`],
    ['could run on', `${totals.couldRun} of ${totals.instances} instances`],
    [
      'takes',
      seconds ? `${Math.round(seconds.low)} to ${Math.round(seconds.high)} s` : 'not known before five runs',
    ],
    ['costs', cost && `${cost.low.toFixed(4)} to ${cost.high.toFixed(4)} ${cost.currency}`],
  ];
}

const columns: Column<Sweep>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'NAME', of: ({ name }) => name },
  { title: 'RUNS', of: ({ total }) => String(total) },
  { title: 'DONE', of: ({ counts }) => String(counts.completed) },
  { title: 'AXES', of: ({ axes }) => axes.map(({ param }) => param).join(' × ') },
  { title: 'CREATED', of: ({ createdAt }) => createdAt },
];

const cellColumns: Column<SweepCell>[] = [
  { title: 'CELL', of: ({ cell }) => String(cell) },
  { title: 'STATE', of: ({ state }) => state },
  { title: 'VALUES', of: ({ values }) => JSON.stringify(values) },
  { title: 'TASK', of: ({ taskId }) => taskId ?? '' },
  { title: 'FILES', of: ({ outputs }) => outputs.map(({ filename }) => filename).join(', ') },
  { title: 'ERROR', of: ({ error }) => error?.message ?? '' },
];
