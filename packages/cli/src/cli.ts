import { Command, CommanderError } from 'commander';
import { addConfigCommand } from './commands/config.ts';
import { addFilesCommand } from './commands/files.ts';
import { addInstancesCommand } from './commands/instances.ts';
import { addLoginCommand } from './commands/login.ts';
import { addLogoutCommand } from './commands/logout.ts';
import { addResetAdminCommand } from './commands/reset-admin.ts';
import { addRunCommand } from './commands/run.ts';
import { addTasksCommand } from './commands/tasks.ts';
import { addUpCommand } from './commands/up.ts';
import { addVersionCommand } from './commands/version.ts';
import { addWorkerCommand } from './commands/worker.ts';
import { type ExitName, exitCodes, exitNameOf } from './exit-codes.ts';
import { explainError } from './explain-error.ts';
import { gatewayEnvironment } from './gateway-address.ts';
import { describeCommand } from './help.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

/** Runs one command line and answers its exit code. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await newProgram(terminal).parseAsync(args, { from: 'user' });
    return exitCodes.ok.code;
  } catch (error) {
    // Commander has said what it had to say by then.
    if (!(error instanceof CommanderError)) terminal.stderr.write(`${explainError(error, terminal)}\n`);
    return exitCodes[exitNameOf(error)].code;
  }
}

function newProgram(terminal: Terminal): Command {
  const program = new Command('switchyard')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help for a command')
    .showHelpAfterError('(add --help for usage and examples)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  describeCommand(program, {
    purpose: 'one gateway for ComfyUI workers and LangGraph.js agents',
    examples: [
      'switchyard up                                  # on http://127.0.0.1:7300, data in ./.switchyard',
      'switchyard login                               # then the commands below need no password',
      'switchyard run batch-invert.json -o out/       # run a workflow, save what it makes',
      'switchyard config show --effective --sources   # what is set, and where it comes from',
    ],
    environment: {
      SWITCHYARD_CONFIG: 'configuration file, as --config',
      SWITCHYARD_HOME: 'data home, as --home',
      SWITCHYARD_HOST: 'address to listen on, as --host',
      SWITCHYARD_PORT: 'port to listen on, as --port',
      ...gatewayEnvironment,
      SWITCHYARD__A__B: 'any key of the configuration file: a.b',
      NO_COLOR: 'no colours',
    },
    exits: Object.keys(exitCodes) as ExitName[],
  });
  addUpCommand(program, terminal);
  addLoginCommand(program, terminal);
  addLogoutCommand(program, terminal);
  addRunCommand(program, terminal);
  addTasksCommand(program, terminal);
  addInstancesCommand(program, terminal);
  addFilesCommand(program, terminal);
  addConfigCommand(program, terminal);
  addResetAdminCommand(program, terminal);
  addWorkerCommand(program);
  addVersionCommand(program, terminal);
  return program;
}
