import { getRunTimeline } from '@switchyard/contract/conversation/timeline';
import type { Command } from 'commander';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { openConversations } from '../open-gateway.ts';
import { addOutputOption } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { limitOption, printTimeline, type TimelineOptions } from '../timeline-output.ts';
import { treeSpanOfRun } from '../timeline-view.ts';
import { wholeTimeline } from '../whole-timeline.ts';

const ids = '4f7c2a10-5d3e-4f57-9c7e-0d5a3f1b2c4d 0196a1b2-0000-7000-8000-000000000000';

export function addTimelineOfRun(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('timeline <thread> <run>')
    .addOption(limitOption())
    .action(async (thread_id: string, run_id: string, options: GatewayOptions & TimelineOptions) => {
      const { call } = await openConversations(options, terminal);
      const timeline = await wholeTimeline(options.limit, async (query) => {
        const page = await call(getRunTimeline, { params: { thread_id, run_id }, query });
        return { spans: page.spans, nextCursor: page.next_cursor };
      });
      printTimeline(timeline, { options, show: treeSpanOfRun, terminal });
    });
  addOutputOption(addGatewayOptions(command));
  describeCommand(command, {
    purpose: 'show what a run did on one time axis: models, tools, sub-agents, tasks and their nodes',
    examples: [`switchyard runs timeline ${ids}`, `switchyard runs timeline ${ids} -o json`],
    environment: gatewayEnvironment,
    exits: ['ok', 'usage', 'auth', 'not_found', 'unreachable'],
  });
}
