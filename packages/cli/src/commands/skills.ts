import {
  getCustomSkill,
  getSkill,
  listSkills,
  type Skill,
  switchSkill,
} from '@switchyard/contract/conversation/skill';
import type { Command } from 'commander';
import type { GatewayOptions } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { openConversations } from '../open-gateway.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import { plainLines, plainText } from '../plain-text.ts';
import { type Column, details } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';
import { addSwitchCommands } from './switch-commands.ts';

type Options = GatewayOptions & OutputOptions;

export function addSkillsCommand(program: Command, terminal: Terminal): void {
  const command = program.command('skills');
  describeCommand(command, {
    purpose: 'list, show and switch the skills of agents',
    examples: ['switchyard skills list', 'switchyard skills disable data-analysis'],
  });
  addList(command, terminal);
  addShow(command, terminal);
  addSwitches(command, terminal);
}

function addList(parent: Command, terminal: Terminal): void {
  const command = parent.command('list').action(async (options: Options) => {
    const { call } = await openConversations(options, terminal);
    const list = await call(listSkills);
    if (options.output === 'json') return printJson(terminal, list);
    printTable(terminal, { columns, rows: list.skills, none: 'There are no skills.' });
    for (const { name, reason } of list.broken)
      terminal.stderr.write(`${plainText(`${name} is no usable skill: ${reason}`)}\n`);
  });
  describeGatewayCommand(command, {
    purpose: 'list skills by name',
    examples: ['switchyard skills list', 'switchyard skills list -o json'],
    exits: ['ok', 'auth', 'unreachable'],
  });
}

function addShow(parent: Command, terminal: Terminal): void {
  const command = parent.command('show <name>').action(async (skill_name: string, options: Options) => {
    const { call } = await openConversations(options, terminal);
    const params = { skill_name };
    const skill = await call(getSkill, { params });
    const whole = skill.editable ? await call(getCustomSkill, { params }) : { ...skill, content: null };
    if (options.output === 'json') return printJson(terminal, whole);
    const facts = details([
      ['name', skill.name],
      ['description', skill.description],
      ['state', skill.enabled ? 'on' : 'off'],
      ['from', skill.category],
      ['license', skill.license],
      ['tools', skill.allowed_tools?.join(' ') ?? null],
    ]);
    terminal.stdout.write(facts + (whole.content === null ? '' : `\n${plainLines(whole.content)}\n`));
  });
  describeGatewayCommand(command, {
    purpose: 'show one skill; a custom one with its text',
    examples: ['switchyard skills show data-analysis'],
  });
}

function addSwitches(parent: Command, terminal: Terminal): void {
  addSwitchCommands(parent, {
    argument: '<name>',
    example: 'data-analysis',
    purposes: {
      enable: 'show a skill to all agents (administrators)',
      disable: 'hide a skill from all agents (administrators)',
    },
    describe: describeGatewayCommand,
    act: async (skill_name, enabled, options: Options) => {
      const { call } = await openConversations(options, terminal);
      const skill = await call(switchSkill, { params: { skill_name }, body: { enabled } });
      if (options.output === 'json') printJson(terminal, skill);
      else terminal.stderr.write(`${skill.name} is ${skill.enabled ? 'on' : 'off'} for all agents.\n`);
    },
  });
}

const columns: Column<Skill>[] = [
  { title: 'NAME', of: ({ name }) => name },
  { title: 'STATE', of: ({ enabled }) => (enabled ? 'on' : 'off') },
  { title: 'FROM', of: ({ category }) => category },
  { title: 'DESCRIPTION', of: ({ description }) => description },
];
