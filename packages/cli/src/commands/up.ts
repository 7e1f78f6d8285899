import { isAbsolute, relative } from 'node:path';
import { type Flags, type LoadedConfig, loadConfig } from '@switchyard/server/config/load';
import { isLoopbackHost } from '@switchyard/server/http/access/origin';
import { newDeferred } from '@switchyard/server/lib/async/deferred';
import type { RunningGateway } from '@switchyard/server/main';
import type { Command } from 'commander';
import { type BannerFacts, banner } from '../banner.ts';
import { builtConsoleOf } from '../built-console.ts';
import { commandName } from '../command-name.ts';
import { type ExitName, exitCodes } from '../exit-codes.ts';
import { addHomeOptions } from '../gateway-home.ts';
import { describeCommand } from '../help.ts';
import { openBrowser } from '../open-browser.ts';
import { referenceWorkerProcess } from '../reference-worker.ts';
import { shippedPath } from '../shipped-path.ts';
import { watchStopSignals } from '../signals.ts';
import { colorsFor, type Terminal } from '../terminal.ts';
import { version } from '../version.ts';

/**
 * When the default port is busy, the gateway tries the next ones up to this one. A port that the user chose is not
 * replaced.
 */
const lastDefaultPort = 7310;

/** Closing the database and the files may take this long after the grace period of requests. */
const closingMs = 5_000;

/** The banner waits this long for users' own agents, so that it can show what is wrong with them. */
const loadingMs = 10_000;

export function addUpCommand(program: Command, terminal: Terminal): void {
  describeCommand(addGatewayCommand(program, terminal, { name: 'up', watchAgents: false }), {
    purpose: 'start the gateway in this process',
    examples: [
      'switchyard up',
      'switchyard up --port 8080 --home /srv/switchyard',
      'switchyard up --host 0.0.0.0 --config /etc/switchyard/switchyard.yaml',
    ],
    ...gatewayHelp,
  });
}

export const gatewayHelp = {
  environment: {
    SWITCHYARD_HOST: 'as --host',
    SWITCHYARD_PORT: 'as --port',
    SWITCHYARD_HOME: 'as --home',
    SWITCHYARD_CONFIG: 'as --config',
  },
  exits: ['ok', 'failed', 'usage', 'config', 'unreachable', 'cancelled'] satisfies ExitName[],
};

/** A command that starts a gateway. */
export function addGatewayCommand(
  program: Command,
  terminal: Terminal,
  { name, watchAgents }: { name: string; watchAgents: boolean },
): Command {
  const command = program
    .command(name)
    .option('--host <address>', 'address to listen on (default 127.0.0.1)')
    .option(
      '--port <port>',
      `port to listen on, 0 for any free one (default 7300, up to ${lastDefaultPort} when busy)`,
    );
  return addHomeOptions(command)
    .option('--open', 'open the console in a browser')
    .action((options: Flags & { open?: true }) => up({ ...options, watchAgents }, terminal));
}

/** Loads the configuration, starts the gateway, prints the banner, waits for a signal and stops. */
async function up(
  { open, watchAgents, ...flags }: Flags & { open?: true; watchAgents: boolean },
  terminal: Terminal,
): Promise<void> {
  const loaded = loadConfig({ flags, env: terminal.env, cwd: terminal.cwd });
  const { stopRequested } = watchStopSignals(process, () => process.exit(exitCodes.cancelled.code));
  const { startGateway } = await import('@switchyard/server/main');
  const gateway = await startGateway(loaded.config, {
    version,
    lastPort: lastPortFor(loaded),
    watchAgents,
    referenceWorker: referenceWorkerProcess(loaded.config.data_home, process.argv[1] ?? ''),
    shippedSkills: shippedPath('skills'),
    consoleFolder: builtConsoleOf(process.argv[1] ?? ''),
  });
  const facts = {
    ...bannerFacts(loaded, gateway, terminal.cwd),
    agents: await agentsInTime(gateway),
  };
  terminal.stderr.write(banner(facts, colorsFor(terminal.stderr, terminal.env)));
  if (open) openBrowser(gateway.url);
  await stopRequested;
  terminal.stderr.write('Stopping; once more to force.\n');
  await closeInTime(gateway, loaded.config.server.shutdown_grace + closingMs);
}

/** Returns null when the agents take too long: the gateway serves already, and its address has to be shown. */
async function agentsInTime({ ownAgents }: RunningGateway): Promise<BannerFacts['agents']> {
  const late = newDeferred<null>();
  const timer = setTimeout(() => late.resolve(null), loadingMs);
  return Promise.race([ownAgents(), late.promise]).finally(() => clearTimeout(timer));
}

/** Returns the last port that a start tries. */
export function lastPortFor({ config, sources }: LoadedConfig): number {
  const isChosen = sources.get('server.port')?.kind !== 'default';
  return isChosen ? config.server.port : lastDefaultPort;
}

function bannerFacts(
  { config, file }: LoadedConfig,
  { url, pageUrl, facts }: RunningGateway,
  cwd: string,
): Omit<BannerFacts, 'agents'> {
  const port = Number(new URL(url).port);
  const isReachable = !isLoopbackHost(config.server.host);
  return {
    version,
    readyMs: process.uptime() * 1_000,
    url: config.server.public_url ?? url,
    pageUrl,
    movedFromPort: config.server.port === 0 || config.server.port === port ? null : config.server.port,
    database: { backend: config.database.backend, place: shorten(facts.databasePlace, cwd) },
    bus: config.bus.backend === 'memory' ? 'in-process' : config.bus.backend,
    configFile: shorten(file, cwd),
    command: commandName(process.argv[1] ?? '', cwd),
    credentialsFile: shorten(facts.credentialsPath, cwd),
    awaitsFirstAdmin: facts.awaitsFirstAdmin,
    registration: facts.registration,
    isReachable,
    isOpenOverPlainHttp: isReachable && !config.server.public_url?.startsWith('https:'),
  };
}

function shorten(path: string | null, cwd: string): string | null {
  if (path === null || !isAbsolute(path)) return path;
  const short = relative(cwd, path);
  return short.startsWith('..') ? path : `./${short}`;
}

/** A part that never closes must not keep a supervisor waiting: the command reports it and ends as failed. */
async function closeInTime(gateway: RunningGateway, limitMs: number): Promise<void> {
  const late = newDeferred<never>();
  const message = `The gateway did not stop within ${limitMs / 1_000} s.`;
  const timer = setTimeout(() => late.reject(new Error(message)), limitMs);
  await Promise.race([gateway.close(), late.promise]).finally(() => clearTimeout(timer));
}
