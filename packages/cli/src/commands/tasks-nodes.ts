import type { TaskNode, UsualNodeTime } from '@switchyard/contract/dispatch/task-node';
import type { Command } from 'commander';
import type { GatewayOptions } from '../gateway-options.ts';
import { openGateway } from '../open-gateway.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import type { Column } from '../table.ts';
import { nodesOf } from '../task-nodes.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';

export function addNodesCommand(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('nodes <id>')
    .action(async (taskId: string, options: GatewayOptions & OutputOptions) => {
      const { items, usual, folded } = await nodesOf(await openGateway(options, terminal), taskId);
      if (options.output === 'json') return printJson(terminal, { items, usual, folded });
      printTable(terminal, {
        columns: columnsWith(usual),
        rows: items,
        none: 'Nothing is known of its nodes.',
      });
      for (const { attempt, count } of folded) {
        terminal.stderr.write(`Attempt ${attempt} ran ${count} more nodes, which are not listed.\n`);
      }
    });
  describeGatewayCommand(command, {
    purpose: 'show when each node of a task began, how long it took and how long it usually takes',
    examples: ['switchyard tasks nodes 0196a1b2-0000-7000-8000-000000000000'],
  });
}

function columnsWith(usual: readonly UsualNodeTime[]): Column<TaskNode>[] {
  const usually = new Map(usual.map(({ node, seconds }) => [node, seconds.toFixed(3)]));
  return [
    { title: 'ATTEMPT', of: ({ attempt }) => attempt },
    { title: 'NODE', of: ({ node }) => node },
    { title: 'TITLE', of: ({ title }) => title },
    { title: 'STATE', of: ({ state }) => state },
    { title: 'SECONDS', of: secondsOf },
    { title: 'USUALLY', of: ({ node }) => usually.get(node) ?? null },
    { title: 'STARTED', of: ({ startedAt }) => startedAt },
  ];
}

function secondsOf({ startedAt, endedAt }: TaskNode): string | null {
  if (startedAt === null || endedAt === null) return null;
  return ((Date.parse(endedAt) - Date.parse(startedAt)) / 1_000).toFixed(3);
}
