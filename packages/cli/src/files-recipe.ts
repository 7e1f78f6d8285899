import type { FileRecipe } from '@switchyard/contract/dispatch/recipe';
import { getFileRecipe } from '@switchyard/contract/dispatch/recipe';
import type { Command } from 'commander';
import { CommandError } from './exit-codes.ts';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from './gateway-options.ts';
import { describeCommand } from './help.ts';
import { withInterrupts } from './interrupts.ts';
import { openGateway } from './open-gateway.ts';
import { addOutputOption, type OutputOptions, printJson } from './output.ts';
import { details } from './table.ts';
import type { Terminal } from './terminal.ts';
import { type Verification, verdicts, verifyFile } from './verify-file.ts';

interface RecipeOptions extends GatewayOptions, OutputOptions {
  verify?: true;
  on?: string;
}

export function addFilesRecipe(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('recipe <id>')
    .option('--verify', 'make it again and compare; exit code 1 when it differs')
    .option('--on <instance>', 'make it again on this instance only')
    .action((fileId: string, options: RecipeOptions) => showRecipe(fileId, options, terminal));
  addOutputOption(addGatewayOptions(command));
  describeCommand(command, {
    purpose: 'show how a file was made, and make it again to see whether it is the same',
    examples: [
      'switchyard files recipe 2b1cXk5x0Zc3v4Q9eYt7Wg',
      'switchyard files recipe 2b1cXk5x0Zc3v4Q9eYt7Wg --verify',
      'switchyard files recipe 2b1cXk5x0Zc3v4Q9eYt7Wg -o json | jq .data.workflow > again.json',
    ],
    environment: gatewayEnvironment,
    exits: ['ok', 'failed', 'auth', 'not_found', 'conflict', 'unreachable', 'cancelled'],
  });
}

async function showRecipe(fileId: string, options: RecipeOptions, terminal: Terminal): Promise<void> {
  const client = await openGateway(options, terminal);
  const recipe = await client.call(getFileRecipe, { params: { fileId } });
  const verification = options.verify
    ? await withInterrupts((signal) => verifyFile(recipe, { client, terminal, signal, on: options.on }))
    : null;
  if (options.output === 'json') printJson(terminal, verification ? { ...recipe, verification } : recipe);
  else terminal.stdout.write(describeRecipe(recipe) + (verification ? describe(verification) : ''));
  if (verification?.verdict === 'differs') {
    throw new CommandError('failed', `${recipe.filename} differs from what its recipe makes now.`);
  }
}

function describe({ taskId, fileId, ...verification }: Verification): string {
  return details([
    ['verified', howMade(verification)],
    ['by task', taskId],
    ['as file', fileId],
  ]);
}

const maxNamed = 5;

/** A result that the worker still had was not made again, and then the verdict says less. */
export function howMade({
  verdict,
  worker,
  nodes,
  cached,
}: Pick<Verification, 'verdict' | 'worker' | 'nodes' | 'cached'>): string {
  if (cached.length === 0) return `${verdicts[verdict]}, made again on ${worker}`;
  const names = cached.slice(0, maxNamed).join(', ');
  const more = cached.length > maxNamed ? ` and ${cached.length - maxNamed} more` : '';
  return `${verdicts[verdict]}, but ${worker} still had the results of ${cached.length} of ${nodes} nodes and did not make them again: ${names}${more}. Restart it, or name another instance with --on.`;
}

function describeRecipe(recipe: FileRecipe): string {
  const { task, worker, savedWorkflow, params, seeds, inputs } = recipe;
  const conversation = task?.conversation;
  return details([
    ['id', recipe.fileId],
    ['name', recipe.filename],
    ['made', recipe.summary],
    ['sha256', recipe.sha256],
    ['created', recipe.createdAt],
    ['task', task?.taskId ?? null],
    ['node', task?.node ?? null],
    ['worker', worker && `${worker.name ?? worker.instanceId} (${worker.instanceId})`],
    ['version', worker?.version ?? null],
    ['workflow', savedWorkflow && `${savedWorkflow.workflowId}, version ${savedWorkflow.version}`],
    ['thread', conversation?.threadId ?? null],
    ['run', conversation?.runId ?? null],
    ['tool call', conversation?.toolCallId ?? null],
    ...seeds.map((seed): [string, string] => [
      'seed',
      `${seed.title} (${seed.nodeId}) ${seed.input} = ${seed.value}`,
    ]),
    ...Object.entries(params ?? {}).map(([name, value]): [string, string] => [
      'param',
      `${name} = ${JSON.stringify(value)}`,
    ]),
    ...inputs.map(({ filename, sha256, presentFileId }): [string, string] => [
      'input',
      `${filename}  ${presentFileId ?? 'deleted'}  ${sha256}`,
    ]),
  ]);
}
