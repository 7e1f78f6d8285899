import { configJsonSchema } from '@switchyard/server/config/json-schema';
import { type LoadedConfig, loadConfig } from '@switchyard/server/config/load';
import { listValues, showConfig } from '@switchyard/server/config/show';
import type { Command } from 'commander';
import { describeCommand } from '../help.ts';
import type { Terminal } from '../terminal.ts';

interface FileOption {
  config?: string;
}

export function addConfigCommand(program: Command, terminal: Terminal): void {
  const command = program.command('config');
  describeCommand(command, {
    purpose: 'look at the configuration',
    examples: [
      'switchyard config show --effective --sources',
      'switchyard config validate --config switchyard.yaml',
      'switchyard config schema > switchyard.schema.json',
    ],
  });
  addShow(command, terminal);
  addValidate(command, terminal);
  addSchema(command, terminal);
}

function addShow(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('show')
    .option('--effective', 'every key, defaults included (otherwise only what is set)')
    .option('--sources', 'where each value comes from')
    .option('--json', 'a JSON list of { key, value, source }')
    .option('--config <file>', 'configuration file')
    .action((options: FileOption & { effective?: true; sources?: true; json?: true }) => {
      const loaded = load(options, terminal);
      const effective = options.effective === true;
      const text = options.json
        ? `${JSON.stringify(listValues(loaded, { effective }), null, 2)}\n`
        : showConfig(loaded, { effective, sources: options.sources === true });
      terminal.stdout.write(text);
      if (text === '') terminal.stderr.write('Nothing is set; --effective shows the defaults.\n');
    });
  describeCommand(command, {
    purpose: 'print the configuration, secrets masked',
    examples: [
      'switchyard config show',
      'switchyard config show --effective --sources',
      'switchyard config show --json',
    ],
    exits: ['ok', 'config'],
  });
}

function addValidate(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('validate')
    .option('--config <file>', 'configuration file')
    .action((options: FileOption) => {
      const { file } = load(options, terminal);
      terminal.stderr.write(`The configuration is valid (${file ?? 'no file; environment and defaults'}).\n`);
    });
  describeCommand(command, {
    purpose: 'report every fault of file and environment, with line and column',
    examples: [
      'switchyard config validate',
      'switchyard config validate --config /etc/switchyard/switchyard.yaml',
    ],
    exits: ['ok', 'config'],
  });
}

function addSchema(parent: Command, { stdout }: Terminal): void {
  const command = parent.command('schema').action(() => {
    stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
  });
  describeCommand(command, {
    purpose: 'print the JSON Schema of the file, for editors',
    examples: [
      'switchyard config schema > switchyard.schema.json',
      '# then, as the first line of switchyard.yaml:',
      '# yaml-language-server: $schema=./switchyard.schema.json',
    ],
  });
}

function load({ config }: FileOption, { env, cwd }: Terminal): LoadedConfig {
  return loadConfig({ flags: { config }, env, cwd });
}
