import { access, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import { answered } from '../confirm.ts';
import { CommandError } from '../exit-codes.ts';
import { describeCommand } from '../help.ts';
import { type StartingChoices, startingConfig } from '../starting-config.ts';
import type { Terminal } from '../terminal.ts';
import { readWorkerAddress } from '../worker-address.ts';

const usualModel = 'gpt-4o-mini';
const nothingWritten = 'Nothing was written.';

interface InitOptions {
  yes?: true;
  config: string;
}

export function addInitCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('init')
    .option('--yes', 'ask nothing, and take what is there')
    .option('--config <file>', 'the file to write', 'switchyard.yaml')
    .action((options: InitOptions) => init(options, terminal));
  describeCommand(command, {
    purpose: 'write a commented switchyard.yaml, and nothing else',
    examples: [
      'switchyard init',
      'switchyard init --yes',
      'switchyard init --config /etc/switchyard/switchyard.yaml',
    ],
    environment: { OPENAI_API_KEY: 'its presence makes OpenAI the model that is proposed' },
    exits: ['ok', 'usage', 'conflict', 'cancelled'],
  });
}

async function init({ yes, config }: InitOptions, terminal: Terminal): Promise<void> {
  const file = resolve(terminal.cwd, config);
  // Asked before the questions as well, so that they are not answered in vain.
  if (await exists(file)) throw taken(file);
  const found: StartingChoices = {
    isShared: false,
    workers: [],
    model: terminal.env.OPENAI_API_KEY ? { name: usualModel, baseUrl: null } : null,
    hasGraphs: await exists(join(terminal.cwd, 'langgraph.json')),
  };
  const choices = yes ? found : await ask(found, terminal);
  await writeFile(file, startingConfig(choices), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw taken(file);
    throw new CommandError('usage', `${file} cannot be written: ${error.message}`, error);
  });
  terminal.stdout.write(`${file}\n`);
  terminal.stderr.write('Change what you like in it, then: switchyard up\n');
}

/** Asks at most four questions; everything else is a comment in the file. */
async function ask(found: StartingChoices, { stdin, stderr }: Terminal): Promise<StartingChoices> {
  if (!stdin.isTTY) throw new CommandError('usage', 'There is no terminal to ask on. Use --yes.');
  const prompts = await import('@clack/prompts');
  const streams = { input: stdin as Readable, output: stderr as Writable };
  const text = async (
    message: string,
    initialValue: string,
    faultOf: (value: string) => string | undefined,
  ) =>
    answered(
      await prompts.text({ message, initialValue, validate: (value) => faultOf(value ?? ''), ...streams }),
      nothingWritten,
    );
  const shared = { message: 'Do other machines reach the gateway?', initialValue: false, ...streams };
  const isShared = answered(await prompts.confirm(shared), nothingWritten);
  const workers = await text(
    'ComfyUI servers, as host:port with commas between (Enter: the built-in worker)',
    '',
    (value) => addressesIn(value).map(addressFault).find(Boolean),
  );
  const source = await text(
    'Model: "openai", or the address of a server that speaks its protocol (Enter: the scripted demo)',
    found.model === null ? '' : 'openai',
    sourceFault,
  );
  const choices = { ...found, isShared, workers: addressesIn(workers), model: null };
  if (source === '') return choices;
  const name = await text('Name of the model there', source === 'openai' ? usualModel : '', (value) =>
    value.trim() === '' ? 'The server has to be asked for a model by its name.' : undefined,
  );
  return { ...choices, model: { name, baseUrl: source === 'openai' ? null : source } };
}

function addressesIn(text: string): string[] {
  return text.split(',').flatMap((address) => address.trim() || []);
}

function addressFault(address: string): string | undefined {
  try {
    readWorkerAddress(address);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function sourceFault(value: string): string | undefined {
  const isKnown = value === '' || value === 'openai' || /^https?:\/\/[^\s"]+$/.test(value);
  return isKnown ? undefined : 'Type openai, an address such as http://127.0.0.1:11434/v1, or nothing.';
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false, // also a folder that may not be looked at: writing then says why
  );
}

function taken(file: string): CommandError {
  return new CommandError(
    'conflict',
    `${file} is there already, and stays as it is. Name another file with --config.`,
  );
}
