import { exportRun } from '@switchyard/client/conversation/export-run';
import type { Command } from 'commander';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { openConversations } from '../open-gateway.ts';
import type { Terminal } from '../terminal.ts';

const ids = '4f7c2a10-5d3e-4f57-9c7e-0d5a3f1b2c4d 0196a1b2-0000-7000-8000-000000000000';

interface ExportOptions extends GatewayOptions {
  pictures: boolean;
}

export function addExportOfRun(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('export <thread> <run>')
    .option('--no-pictures', 'leave out the small pictures of what its tasks have made')
    .action(async (threadId: string, runId: string, { pictures, ...options }: ExportOptions) => {
      const gateway = await openConversations(options, terminal);
      const file = await exportRun(gateway, { threadId, runId, withPictures: pictures });
      terminal.stdout.write(`${JSON.stringify(file)}\n`);
      const { events, spans, cut } = file;
      if (file.live) terminal.stderr.write('The run goes on; this is its beginning.\n');
      if (cut.events) terminal.stderr.write(`There are more; the first ${events.length} events are in it.\n`);
      if (cut.spans) terminal.stderr.write(`There are more; the first ${spans.length} spans are in it.\n`);
      if (cut.pictures) terminal.stderr.write('There are more pictures than a file holds.\n');
    });
  addGatewayOptions(command);
  describeCommand(command, {
    purpose:
      'write a run as one JSON file: its events, its timeline and small pictures; the console opens it',
    examples: [`switchyard runs export ${ids} > run.json`],
    environment: gatewayEnvironment,
    exits: ['ok', 'usage', 'auth', 'not_found', 'unreachable'],
  });
}
