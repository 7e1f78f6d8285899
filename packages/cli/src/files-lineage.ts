import { type FileLineage, getFileLineage, lineageDirections } from '@switchyard/contract/dispatch/lineage';
import { type Command, Option } from 'commander';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from './gateway-options.ts';
import { describeCommand } from './help.ts';
import { lineageLines } from './lineage-lines.ts';
import { openGateway } from './open-gateway.ts';
import { wholeNumber } from './option-values.ts';
import { addOutputOption, type OutputOptions, printJson } from './output.ts';
import { plainText } from './plain-text.ts';
import type { Terminal } from './terminal.ts';

interface LineageOptions extends GatewayOptions, OutputOptions {
  direction: FileLineage['direction'];
  depth: number;
}

const whyCut = {
  depth: 'There is more: --depth',
  nodes: 'There is more than 1,000 nodes. Ask for one direction, or start at another file.',
} as const;

export function addFilesLineage(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('lineage <id>')
    .addOption(
      new Option('--direction <way>', 'what it came from, or what came of it')
        .choices([...lineageDirections])
        .default('both'),
    )
    .option('--depth <n>', 'generations each way, 1 to 100', wholeNumber(1, 100), 20)
    .action(async (fileId: string, options: LineageOptions) => {
      const { call } = await openGateway(options, terminal);
      const { direction, depth, output } = options;
      const lineage = await call(getFileLineage, { params: { fileId }, query: { direction, depth } });
      if (output === 'json') return printJson(terminal, lineage);
      for (const line of lineageLines(lineage)) terminal.stdout.write(`${plainText(line)}\n`);
      if (lineage.cut) terminal.stderr.write(`${whyCut[lineage.cut]}\n`);
    });
  addOutputOption(addGatewayOptions(command));
  describeCommand(command, {
    purpose: 'show what a file came from and what came of it',
    examples: [
      'switchyard files lineage 2b1cXk5x0Zc3v4Q9eYt7Wg',
      'switchyard files lineage 2b1cXk5x0Zc3v4Q9eYt7Wg --direction up',
    ],
    environment: gatewayEnvironment,
    exits: ['ok', 'auth', 'not_found', 'unreachable'],
  });
}
