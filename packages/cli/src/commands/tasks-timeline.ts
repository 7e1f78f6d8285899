import { getTaskTimeline } from '@switchyard/contract/dispatch/timeline';
import type { Command } from 'commander';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { openGateway } from '../open-gateway.ts';
import { addOutputOption } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { limitOption, printTimeline, type TimelineOptions } from '../timeline-output.ts';
import { treeSpanOfTask } from '../timeline-view.ts';
import { wholeTimeline } from '../whole-timeline.ts';

export function addTimelineOfTask(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('timeline <id>')
    .addOption(limitOption())
    .action(async (taskId: string, options: GatewayOptions & TimelineOptions) => {
      const { call } = await openGateway(options, terminal);
      const timeline = await wholeTimeline(options.limit, (query) =>
        call(getTaskTimeline, { params: { taskId }, query }),
      );
      printTimeline(timeline, { options, show: treeSpanOfTask, terminal });
    });
  addOutputOption(addGatewayOptions(command));
  describeCommand(command, {
    purpose: 'show what a task did on one time axis: its waits, its attempts on workers and their nodes',
    examples: ['switchyard tasks timeline 0196a1b2-0000-7000-8000-000000000000'],
    environment: gatewayEnvironment,
    exits: ['ok', 'usage', 'auth', 'not_found', 'unreachable'],
  });
}
