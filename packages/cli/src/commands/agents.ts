import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Agent } from '@switchyard/contract/conversation/agent';
import {
  changeAgent,
  createAgent,
  deleteAgent,
  getAgent,
  listAgents,
} from '@switchyard/contract/conversation/agents';
import { type Graph, listGraphs } from '@switchyard/contract/conversation/graphs';
import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import type { GatewayOptions } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { openConversations } from '../open-gateway.ts';
import { collected } from '../option-values.ts';
import { type OutputOptions, printJson } from '../output.ts';
import { plainLines } from '../plain-text.ts';
import { type Column, details } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';
import { addListCommand } from './list-command.ts';

type Options = GatewayOptions & OutputOptions;

interface SettingOptions extends Options {
  description?: string;
  model?: string;
  soul?: string;
  tools?: string[];
  skill?: string[];
}

export function addAgentsCommand(program: Command, terminal: Terminal): void {
  const command = program.command('agents');
  describeCommand(command, {
    purpose: 'list, show, create, change and delete agents of your own',
    examples: ['switchyard agents list', 'switchyard agents create painter --soul painter.md'],
  });
  addList(command, terminal);
  addShow(command, terminal);
  addCreate(command, terminal);
  addChange(command, terminal);
  addDelete(command, terminal);
}

function addList(parent: Command, terminal: Terminal): void {
  addListCommand(parent, terminal, {
    purpose: 'list the agents to talk to: graphs with file and state, and agents of your own',
    ask: async ({ call }) => ({ ...(await call(listAgents)), ...(await call(listGraphs)) }),
    rowsOf: ({ agents, graphs, faults }) => [
      ...graphs.map(rowOfGraph),
      ...agents.map(rowOfAgent),
      ...faults.map(({ name, fault }) => ({
        name,
        from: null,
        state: `refused: ${fault}`,
        description: null,
      })),
    ],
    columns,
    none: 'There are no agents.',
  });
}

function addShow(parent: Command, terminal: Terminal): void {
  const command = parent.command('show <name>').action(async (name: string, options: Options) => {
    const { call } = await openConversations(options, terminal);
    const agent = await call(getAgent, { params: { name } });
    if (options.output === 'json') printJson(terminal, agent);
    else terminal.stdout.write(describeAgent(agent));
  });
  describeGatewayCommand(command, {
    purpose: 'show one agent with its soul',
    examples: ['switchyard agents show painter'],
  });
}

function addCreate(parent: Command, terminal: Terminal): void {
  const command = withSettings(parent.command('create <name>')).action(
    async (name: string, options: SettingOptions) => {
      const { call } = await openConversations(options, terminal);
      const agent = await call(createAgent, { body: { name, ...settingsOf(options, terminal) } });
      if (options.output === 'json') printJson(terminal, agent);
      else terminal.stderr.write(`${agent.name} is made: switchyard chat --agent ${agent.name}\n`);
    },
  );
  describeGatewayCommand(command, {
    purpose: 'make an agent: the lead agent with a character, a model and tools of its own',
    examples: [
      'switchyard agents create painter --description "Paints what you say" --soul painter.md',
      'switchyard agents create reader --tools file:read --tools web',
    ],
    exits: ['ok', 'failed', 'usage', 'auth', 'conflict', 'unreachable'],
  });
}

function addChange(parent: Command, terminal: Terminal): void {
  const command = withSettings(parent.command('change <name>')).action(
    async (name: string, options: SettingOptions) => {
      const { call } = await openConversations(options, terminal);
      const agent = await call(changeAgent, { params: { name }, body: settingsOf(options, terminal) });
      if (options.output === 'json') printJson(terminal, agent);
      else terminal.stderr.write(`${agent.name} is changed.\n`);
    },
  );
  describeGatewayCommand(command, {
    purpose: 'change an agent; what is not given stays as it is',
    examples: ['switchyard agents change painter --soul painter.md'],
  });
}

function addDelete(parent: Command, terminal: Terminal): void {
  const command = parent.command('delete <name>').action(async (name: string, options: Options) => {
    const { call } = await openConversations(options, terminal);
    await call(deleteAgent, { params: { name } });
    if (options.output === 'json') printJson(terminal, { name, deleted: true });
    else terminal.stderr.write(`${name} is deleted, with what it remembers. Its threads stay.\n`);
  });
  describeGatewayCommand(command, {
    purpose: 'delete an agent with what it remembers',
    examples: ['switchyard agents delete painter'],
  });
}

function withSettings(command: Command): Command {
  return command
    .option('--description <text>', 'what it is for')
    .option('--model <name>', 'the model of its runs')
    .option('--soul <file>', 'who it is and how it works, in Markdown')
    .option(
      '--tools <group>',
      'a group of tools that it has; several times for several (default: all)',
      collected,
    )
    .option(
      '--skill <name>',
      'a skill that it is told of; several times for several (default: all)',
      collected,
    );
}

function settingsOf({ description, model, soul, tools, skill }: SettingOptions, { cwd }: Terminal) {
  return {
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    ...(soul !== undefined && { soul: textOf(resolve(cwd, soul)) }),
    ...(tools && { tool_groups: tools }),
    ...(skill && { skills: skill }),
  };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandError('usage', `${path} cannot be read: ${(error as Error).message}`, error);
  }
}

function describeAgent({ name, description, model, tool_groups: tools, skills, soul }: Agent): string {
  const facts = details([
    ['name', name],
    ['description', description],
    ['model', model ?? 'the default'],
    ['tools', tools?.join(' ') ?? 'all'],
    ['skills', skills?.join(' ') ?? 'all'],
  ]);
  return soul ? `${facts}\n${plainLines(soul)}\n` : facts;
}

interface ListedAgent {
  name: string;
  from: string | null;
  state: string;
  description: string | null;
}

function rowOfGraph({
  graph_id: name,
  file,
  export: exported,
  state,
  fault,
  description,
}: Graph): ListedAgent {
  const from = file === null ? 'built in' : `${file}:${exported}`;
  return { name, from, state: fault === null ? 'loaded' : `${state}: ${fault}`, description };
}

function rowOfAgent({ name, description }: Agent): ListedAgent {
  return { name, from: 'yours', state: 'loaded', description };
}

const columns: Column<ListedAgent>[] = [
  { title: 'NAME', of: ({ name }) => name },
  { title: 'FROM', of: ({ from }) => from },
  { title: 'STATE', of: ({ state }) => state },
  { title: 'DESCRIPTION', of: ({ description }) => description },
];
