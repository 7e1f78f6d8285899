import { usableLanggraphJson } from '../../agents/loading/usable-langgraph-json.ts';
import type { Environment } from '../../config/env.ts';
import { ConfigError, describeFault } from '../../config/faults.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Disk } from '../../platform/files/disk.ts';
import { createLogger } from '../../platform/telemetry/logger.ts';
import { checkFiles } from './check-files.ts';
import { checkDisk, checkHome } from './check-home.ts';
import { checkListener, runningGateway } from './check-listener.ts';
import { checkModels } from './check-models.ts';
import { checkProxies } from './check-proxies.ts';
import { checkSecrets } from './check-secrets.ts';
import { checkDatabase, checkRedis } from './check-stores.ts';
import { checkWorkers } from './check-workers.ts';
import { type Finding, messageOf, type Subject, well, wrong } from './finding.ts';

export interface DoctorOptions {
  /** Reads the configuration as the start does. */
  load: () => LoadedConfig;
  env: Environment;
  cwd: string;
  /** The last port that a start tries. */
  lastPortFor: (loaded: LoadedConfig) => number;
  clock: Clock;
  disk?: Pick<Disk, 'freeBytes'>;
}

/**
 * Looks at everything that a gateway needs, whether it runs or not. It takes no lock and changes nothing. Without a valid
 * configuration it cannot know what else to look at.
 */
export async function examineGateway(options: DoctorOptions): Promise<Finding[]> {
  let loaded: LoadedConfig;
  try {
    loaded = options.load();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const how = 'switchyard config validate   # once it is corrected; the doctor then looks at the rest';
    return error.faults.map((fault) => wrong('configuration', `${describeFault(fault)}.`, how));
  }
  const source = loaded.file ?? 'environment and defaults; there is no file';
  return [
    well('configuration', `The configuration is valid (${source}).`),
    ...(await examine(loaded, options)),
  ];
}

async function examine(loaded: LoadedConfig, options: DoctorOptions): Promise<Finding[]> {
  const { config } = loaded;
  const { env, clock, disk } = options;
  // The findings say what the parts would log.
  const logger = createLogger({ ...config.observability.log, level: 'silent' });
  const running = runningGateway(config);
  const surroundings = { config, logger, clock, isRunning: running !== null };
  const checks: [Subject, () => Finding[] | Promise<Finding[]>][] = [
    ['home', () => checkHome(config)],
    ['disk', () => checkDisk(config, disk)],
    ['listener', () => checkListener(config, { running, lastPort: options.lastPortFor(loaded) })],
    ['secrets', () => checkSecrets(loaded)],
    ['proxies', () => checkProxies(config)],
    ['models', () => modelFindings(loaded, { ...options, logger, env })],
    ['redis', () => checkRedis(surroundings)],
    ['files', () => checkFiles(config, clock)],
    ['database', () => databaseFindings(surroundings)],
  ];
  const findings: Finding[] = [];
  for (const [subject, check] of checks) findings.push(...(await inSpite(subject, check)));
  return findings;
}

/** A check that fails says so itself, and the others are still made. */
async function inSpite(subject: Subject, check: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [
      wrong(
        subject,
        `This could not be looked at: ${messageOf(error)}`,
        'id   # is this the user of the gateway?',
      ),
    ];
  }
}

function modelFindings(
  { config }: LoadedConfig,
  { env, cwd, logger: log }: Pick<DoctorOptions, 'env' | 'cwd'> & { logger: ReturnType<typeof createLogger> },
): Finding[] {
  if (!config.areas.conversation) return [well('models', 'The area of conversations is switched off.')];
  const variables: Environment = {};
  const { fault } = usableLanggraphJson({
    cwd,
    corsOrigins: config.server.cors.origins,
    setVariables: (found) => Object.assign(variables, found),
    log,
  });
  return checkModels(config, { env: { ...variables, ...env }, langgraphFault: fault });
}

/** The workers stand in the database, once they were changed over the API. */
async function databaseFindings(surroundings: Parameters<typeof checkDatabase>[0]): Promise<Finding[]> {
  const { findings, database } = await checkDatabase(surroundings);
  try {
    const workers = await inSpite('workers', () => checkWorkers(surroundings.config, database));
    return [...findings, ...workers];
  } finally {
    await database?.close();
  }
}
