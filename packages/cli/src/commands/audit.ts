import { type AuditRecord, listAudit } from '@switchyard/contract/accounts/audit';
import type { Command } from 'commander';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { openGateway } from '../open-gateway.ts';
import { moment, wholeNumber } from '../option-values.ts';
import { addOutputOption, type OutputOptions, printJson, printTable } from '../output.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';

interface AuditOptions extends GatewayOptions, OutputOptions {
  actor?: string;
  action?: string;
  target?: string;
  from?: string;
  to?: string;
  limit: number;
  cursor?: string;
}

export function addAuditCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('audit')
    .option('--actor <id>', 'what this account did, or `system`')
    .option('--action <name>', 'only this kind of change, for example user.created')
    .option('--target <kind:id>', 'what was done to this, for example user:0196a1b2')
    .option('--from <moment>', 'since then: a time, or how long ago (7d)', (text) => moment(text))
    .option('--to <moment>', 'before then', (text) => moment(text))
    .option('--limit <n>', 'how many, 1 to 200', wholeNumber(1, 200), 50)
    .option('--cursor <cursor>', 'the page that begins here')
    .action(async (options: AuditOptions) => {
      const { call } = await openGateway(options, terminal);
      const { actor, action, target, from, to, limit, cursor } = options;
      const list = await call(listAudit, { query: { actor, action, target, from, to, limit, cursor } });
      if (options.output === 'json') return printJson(terminal, list);
      printTable(terminal, { columns, rows: list.items, none: 'There are no such records.' });
      if (list.nextCursor) terminal.stderr.write(`Older ones: --cursor ${list.nextCursor}\n`);
    });
  addOutputOption(addGatewayOptions(command));
  describeCommand(command, {
    purpose: 'show who changed what, the newest first (administrators)',
    examples: [
      'switchyard audit --from 7d',
      'switchyard audit --action queue.paused -o json',
      'switchyard audit --target instance:192.168.1.20:8188',
    ],
    environment: gatewayEnvironment,
    exits: ['ok', 'auth', 'unreachable'],
  });
}

const columns: Column<AuditRecord>[] = [
  { title: 'AT', of: ({ at }) => at },
  { title: 'WHO', of: ({ actorName }) => actorName },
  { title: 'ACTION', of: ({ action }) => action },
  { title: 'TARGET', of: ({ target }) => target },
  { title: 'DETAILS', of: ({ details }) => JSON.stringify(details) },
];
