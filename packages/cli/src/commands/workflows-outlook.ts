import type { Client } from '@switchyard/client/client';
import type { SavedWorkflowDetail } from '@switchyard/contract/dispatch/workflow';
import { foreseeWorkflow, type WorkflowOutlook } from '@switchyard/contract/dispatch/workflow-outlook';
import type { Command } from 'commander';
import type { GatewayOptions } from '../gateway-options.ts';
import { openGateway } from '../open-gateway.ts';
import { collected } from '../option-values.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import { parseParams } from '../run-params.ts';
import { details } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';
import { outlookColumns } from './tasks-why.ts';

export function addOutlookCommand(
  parent: Command,
  terminal: Terminal,
  find: (client: Client, nameOrId: string) => Promise<SavedWorkflowDetail>,
): void {
  const command = parent
    .command('outlook <name>')
    .option('-p, --param <key=value>', 'a parameter as the run will have it', collected)
    .action(async (name: string, options: GatewayOptions & OutputOptions & { param?: string[] }) => {
      const client = await openGateway(options, terminal);
      const { id: workflowId } = await find(client, name);
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
