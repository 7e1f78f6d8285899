import {
  getMcpConfig,
  type McpServer,
  resetMcpCache,
  switchMcpServer,
  testMcpServer,
} from '@switchyard/contract/conversation/mcp';
import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import type { GatewayOptions } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { openConversations } from '../open-gateway.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';
import { addListCommand } from './list-command.ts';
import { addSwitchCommands } from './switch-commands.ts';

type Options = GatewayOptions & OutputOptions;

export function addMcpCommand(program: Command, terminal: Terminal): void {
  const command = program.command('mcp');
  describeCommand(command, {
    purpose: 'list, test and switch MCP servers (administrators)',
    examples: ['switchyard mcp list', 'switchyard mcp test github'],
  });
  addList(command, terminal);
  addTest(command, terminal);
  addSwitches(command, terminal);
  addReload(command, terminal);
}

function addList(parent: Command, terminal: Terminal): void {
  addListCommand(parent, terminal, {
    purpose: 'list MCP servers; secrets are masked',
    ask: async ({ call }) => (await call(getMcpConfig)).mcp_servers,
    rowsOf: (servers) => Object.entries(servers),
    columns,
    none: 'There are no MCP servers.',
  });
}

function addTest(parent: Command, terminal: Terminal): void {
  const command = parent.command('test <name>').action(async (server_name: string, options: Options) => {
    const { call } = await openConversations(options, terminal);
    const test = await call(testMcpServer, { params: { server_name } });
    if (options.output === 'json') printJson(terminal, test);
    else if (test.success)
      printTable(terminal, { columns: toolColumns, rows: test.tools, none: `${server_name} has no tools.` });
    if (!test.success) throw new CommandError('failed', test.error ?? `${server_name} does not answer.`);
  });
  describeGatewayCommand(command, {
    purpose: 'connect to an MCP server now and list its tools',
    examples: ['switchyard mcp test github'],
  });
}

function addSwitches(parent: Command, terminal: Terminal): void {
  addSwitchCommands(parent, {
    argument: '<name>',
    example: 'github',
    purposes: {
      enable: 'give agents the tools of an MCP server',
      disable: 'take the tools of an MCP server from agents',
    },
    describe: describeGatewayCommand,
    act: async (server_name, enabled, options: Options) => {
      const { call } = await openConversations(options, terminal);
      const { mcp_servers: servers } = await call(switchMcpServer, { body: { server_name, enabled } });
      if (options.output === 'json') printJson(terminal, servers);
      else terminal.stderr.write(`${server_name} is ${enabled ? 'on' : 'off'}.\n`);
    },
  });
}

function addReload(parent: Command, terminal: Terminal): void {
  const command = parent.command('reload').action(async (options: Options) => {
    const { call } = await openConversations(options, terminal);
    const reloaded = await call(resetMcpCache);
    if (options.output === 'json') printJson(terminal, reloaded);
    else terminal.stderr.write(`${reloaded.message}\n`);
  });
  describeGatewayCommand(command, {
    purpose: 'connect to all MCP servers again and list their tools',
    examples: ['switchyard mcp reload'],
    exits: ['ok', 'auth', 'unreachable'],
  });
}

const columns: Column<[string, McpServer]>[] = [
  { title: 'NAME', of: ([name]) => name },
  { title: 'STATE', of: ([, { enabled }]) => (enabled ? 'on' : 'off') },
  { title: 'TYPE', of: ([, { type }]) => type },
  { title: 'WHERE', of: ([, { url, command, args }]) => url ?? [command ?? '', ...args].join(' ') },
  { title: 'DESCRIPTION', of: ([, { description }]) => description || null },
];

const toolColumns: Column<{ name: string; description: string }>[] = [
  { title: 'TOOL', of: ({ name }) => name },
  { title: 'DESCRIPTION', of: ({ description }) => description },
];
