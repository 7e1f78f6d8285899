import { Command, CommanderError } from 'commander';
import { type ExitName, exitCodes, exitNameOf } from './exit-codes.ts';
import { explainError } from './explain-error.ts';
import { gatewayEnvironment } from './gateway-options.ts';
import { describeCommand } from './help.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

type AddCommand = (program: Command, terminal: Terminal) => void;

/**
 * The commands, in the order of the help. The modules of a command are loaded when it is called: `--version` needs none
 * of them.
 */
const commands: Record<string, () => Promise<AddCommand>> = {
  up: async () => (await import('./commands/up.ts')).addUpCommand,
  dev: async () => (await import('./commands/dev.ts')).addDevCommand,
  init: async () => (await import('./commands/init.ts')).addInitCommand,
  login: async () => (await import('./commands/login.ts')).addLoginCommand,
  logout: async () => (await import('./commands/logout.ts')).addLogoutCommand,
  token: async () => (await import('./commands/token.ts')).addTokenCommand,
  status: async () => (await import('./commands/status.ts')).addStatusCommand,
  run: async () => (await import('./commands/run.ts')).addRunCommand,
  workflows: async () => (await import('./commands/workflows.ts')).addWorkflowsCommand,
  sweeps: async () => (await import('./commands/sweeps.ts')).addSweepsCommand,
  tasks: async () => (await import('./commands/tasks.ts')).addTasksCommand,
  chat: async () => (await import('./commands/chat.ts')).addChatCommand,
  threads: async () => (await import('./commands/threads.ts')).addThreadsCommand,
  runs: async () => (await import('./commands/runs.ts')).addRunsCommand,
  schedules: async () => (await import('./commands/schedules.ts')).addSchedulesCommand,
  agents: async () => (await import('./commands/agents.ts')).addAgentsCommand,
  skills: async () => (await import('./commands/skills.ts')).addSkillsCommand,
  mcp: async () => (await import('./commands/mcp.ts')).addMcpCommand,
  instances: async () => (await import('./commands/instances.ts')).addInstancesCommand,
  files: async () => (await import('./commands/files.ts')).addFilesCommand,
  share: async () => (await import('./commands/share.ts')).addShareCommand,
  collections: async () => (await import('./commands/collections.ts')).addCollectionsCommand,
  webhooks: async () => (await import('./commands/webhooks.ts')).addWebhooksCommand,
  usage: async () => (await import('./commands/usage.ts')).addUsageCommand,
  users: async () => (await import('./commands/users.ts')).addUsersCommand,
  tokens: async () => (await import('./commands/tokens.ts')).addTokensCommand,
  system: async () => (await import('./commands/system.ts')).addSystemCommand,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  'support-bundle': async () => (await import('./commands/support-bundle.ts')).addSupportBundleCommand,
  audit: async () => (await import('./commands/audit.ts')).addAuditCommand,
  config: async () => (await import('./commands/config.ts')).addConfigCommand,
  backup: async () => (await import('./commands/backup.ts')).addBackupCommand,
  restore: async () => (await import('./commands/restore.ts')).addRestoreCommand,
  resume: async () => (await import('./commands/resume.ts')).addResumeCommand,
  secrets: async () => (await import('./commands/secrets.ts')).addSecretsCommand,
  migrate: async () => (await import('./commands/migrate.ts')).addMigrateCommand,
  'reset-admin': async () => (await import('./commands/reset-admin.ts')).addResetAdminCommand,
  worker: async () => (await import('./commands/worker.ts')).addWorkerCommand,
  completion: async () => (await import('./commands/completion.ts')).addCompletionCommand,
  version: async () => (await import('./commands/version.ts')).addVersionCommand,
};

/** Runs one command line and returns its exit code. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const program = newProgram(terminal);
    for (const name of neededFor(args)) (await commands[name]?.())?.(program, terminal);
    await program.parseAsync(args, { from: 'user' });
    return exitCodes.ok.code;
  } catch (error) {
    // Commander has printed its message already.
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
      'switchyard chat "what can you do?"             # talk to an agent',
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
  return program;
}

/**
 * Loads the command that was called. Loads all of them when the help, or a suggestion after a typing error, has to know
 * them.
 */
function neededFor([first = '']: readonly string[]): string[] {
  if (first === '--version' || first === '-V') return [];
  // The script names every command.
  if (first === 'completion') return Object.keys(commands);
  return Object.hasOwn(commands, first) ? [first] : Object.keys(commands);
}
