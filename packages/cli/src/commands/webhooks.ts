import {
  createWebhook,
  type Delivery,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  testWebhook,
  updateWebhook,
  type Webhook,
  type WebhookEvent,
  webhookEvents,
} from '@switchyard/contract/dispatch/webhook';
import { type Command, InvalidArgumentError } from 'commander';
import { CommandError } from '../exit-codes.ts';
import type { GatewayOptions } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { addPageOptions, type PageOptions } from '../list-pages.ts';
import { openGateway } from '../open-gateway.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';
import { addListCommand } from './list-command.ts';
import { addSwitchCommands } from './switch-commands.ts';

type Options = GatewayOptions & OutputOptions;

export function addWebhooksCommand(program: Command, terminal: Terminal): void {
  const command = program.command('webhooks');
  describeCommand(command, {
    purpose: 'list, add, switch and delete your webhooks, and see what was sent to them',
    examples: ['switchyard webhooks add https://example.org/switchyard', 'switchyard webhooks list'],
  });
  addList(command, terminal);
  addAdd(command, terminal);
  addSwitches(command, terminal);
  addDelete(command, terminal);
  addDeliveries(command, terminal);
  addRedeliver(command, terminal);
  addTest(command, terminal);
}

function addList(parent: Command, terminal: Terminal): void {
  addListCommand(parent, terminal, {
    purpose: 'list your webhooks',
    open: openGateway,
    ask: ({ call }) => call(listWebhooks),
    rowsOf: (webhooks) => webhooks,
    columns,
    none: 'You have no webhooks.',
  });
}

function addAdd(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('add <url>')
    .option(
      '--event <event>',
      `${webhookEvents.join(' or ')}; several times for several (default: all)`,
      event,
    )
    .action(async (url: string, options: Options & { event?: WebhookEvent[] }) => {
      const { call } = await openGateway(options, terminal);
      const made = await call(createWebhook, {
        body: { url, ...(options.event && { events: options.event }) },
      });
      if (options.output === 'json') return printJson(terminal, made);
      terminal.stdout.write(`${made.secret}\n`);
      terminal.stderr.write(
        `Webhook ${made.id} is added. The secret above signs its calls and is shown this once.\n`,
      );
    });
  describeGatewayCommand(command, {
    purpose: 'call an address when one of your tasks ends; prints the secret that signs the calls',
    examples: ['switchyard webhooks add https://example.org/switchyard --event task.failed'],
  });
}

function addSwitches(parent: Command, terminal: Terminal): void {
  addSwitchCommands(parent, {
    argument: '<id>',
    example: '0196a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
    purposes: { enable: 'call a webhook again', disable: 'stop calling a webhook' },
    describe: describeGatewayCommand,
    act: async (webhookId, wanted, options: Options) => {
      const { call } = await openGateway(options, terminal);
      const webhook = await call(updateWebhook, { params: { webhookId }, body: { enabled: wanted } });
      const { url, enabled } = webhook;
      if (options.output === 'json') printJson(terminal, webhook);
      else terminal.stderr.write(`${url} is ${enabled ? 'called again' : 'no longer called'}.\n`);
    },
  });
}

function addDelete(parent: Command, terminal: Terminal): void {
  const command = parent.command('delete <id>').action(async (webhookId: string, options: Options) => {
    const { call } = await openGateway(options, terminal);
    const deleted = await call(deleteWebhook, { params: { webhookId } });
    if (options.output === 'json') printJson(terminal, deleted);
    else terminal.stderr.write(`${deleted.id} is deleted.\n`);
  });
  describeGatewayCommand(command, {
    purpose: 'delete a webhook',
    examples: ['switchyard webhooks delete 0196a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b'],
  });
}

function addDeliveries(parent: Command, terminal: Terminal): void {
  const command = addPageOptions(parent.command('deliveries <id>'), 200).action(
    async (webhookId: string, options: Options & PageOptions) => {
      const { call } = await openGateway(options, terminal);
      const { limit, offset } = options;
      const list = await call(listDeliveries, { params: { webhookId }, query: { limit, offset } });
      if (options.output === 'json') printJson(terminal, list);
      else
        printTable(terminal, { columns: deliveryColumns, rows: list.items, none: 'Nothing was sent to it.' });
    },
  );
  describeGatewayCommand(command, {
    purpose: 'list what was sent to a webhook, the newest first',
    examples: ['switchyard webhooks deliveries 0196a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b'],
  });
}

function addRedeliver(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('redeliver <id> <delivery>')
    .action(async (webhookId: string, deliveryId: string, options: Options) => {
      const { call } = await openGateway(options, terminal);
      const delivery = await call(redeliver, { params: { webhookId, deliveryId } });
      if (options.output === 'json') printJson(terminal, delivery);
      else terminal.stderr.write(`${delivery.id} is sent again.\n`);
    });
  describeGatewayCommand(command, {
    purpose: 'send a delivery again',
    examples: [
      'switchyard webhooks redeliver 0196a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b 0196a1b2-0000-7000-8000-000000000001',
    ],
  });
}

function addTest(parent: Command, terminal: Terminal): void {
  const command = parent.command('test <id>').action(async (webhookId: string, options: Options) => {
    const { call } = await openGateway(options, terminal);
    const test = await call(testWebhook, { params: { webhookId } });
    if (options.output === 'json') printJson(terminal, test);
    else if (test.delivered)
      terminal.stderr.write(`The receiver answered ${test.responseStatus} after ${test.latencyMs} ms.\n`);
    if (!test.delivered) throw new CommandError('failed', `The call was not delivered. ${test.error}`);
  });
  describeGatewayCommand(command, {
    purpose: 'send a signed test call now, and say how the receiver took it',
    examples: ['switchyard webhooks test 0196a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b'],
  });
}

function event(text: string, before: WebhookEvent[] = []): WebhookEvent[] {
  const known = webhookEvents.find((name) => name === text);
  if (known) return [...before, known];
  throw new InvalidArgumentError(`Write one of ${webhookEvents.join(', ')}.`);
}

const columns: Column<Webhook>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'STATE', of: ({ enabled }) => (enabled ? 'on' : 'off') },
  { title: 'FAILURES', of: ({ failures }) => failures },
  { title: 'EVENTS', of: ({ events }) => events.join(' ') },
  { title: 'URL', of: ({ url }) => url },
];

const deliveryColumns: Column<Delivery>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'STATUS', of: ({ status }) => status },
  { title: 'EVENT', of: ({ event: name }) => name },
  { title: 'TASK', of: ({ taskId }) => taskId },
  { title: 'TRIES', of: ({ attempts }) => attempts },
  { title: 'ANSWER', of: ({ responseStatus }) => responseStatus },
  { title: 'ERROR', of: ({ lastError }) => lastError },
];
