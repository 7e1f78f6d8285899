import type { SettingsInput } from '@switchyard/contract/dispatch/settings';
import { shellWord } from '@switchyard/contract/shell-word';
import type { Config } from '../../config/schema.ts';
import { builtInServerId, initialSettings } from '../../dispatch/instances/settings.ts';
import { seedOf } from '../../dispatch/instances/settings-seed.ts';
import { SettingsStore } from '../../dispatch/instances/settings-store.ts';
import { workerAddress } from '../../dispatch/instances/worker-address.ts';
import type { DispatchTables } from '../../dispatch/tables.ts';
import { askStatus } from '../../dispatch/worker-client/comfyui/probe.ts';
import { type WorkerAddress, WorkerHttp } from '../../dispatch/worker-client/comfyui/worker-http.ts';
import { systemTimer } from '../../lib/async/timer.ts';
import type { Database } from '../../platform/database/database.ts';
import { tableExists } from '../../platform/database/table-exists.ts';
import { guardedLookup } from '../../platform/outbound/host-rules.ts';
import type { ProxySettings } from '../../platform/outbound/proxy-rules.ts';
import { workerProxies } from '../options-of-config.ts';
import { type Finding, messageOf, well, wrong } from './finding.ts';

/** A doctor that asks more workers at once than this would itself be a load. The console shows the others. */
const maxWorkers = 100;
const deadlineMs = 5_000;

/** Asks each configured worker what it is, in the way in which the gateway asks it. */
export async function checkWorkers(config: Config, database: Database<unknown> | null): Promise<Finding[]> {
  if (!config.areas.dispatch) return [well('workers', 'The area of tasks is switched off.')];
  const addresses = addressesOf(await settingsOf(config, database));
  if (addresses.length === 0)
    return [well('workers', 'No worker is configured. The gateway starts its built-in reference worker.')];
  const proxies = workerProxies(config);
  const findings = await Promise.all(
    addresses.slice(0, maxWorkers).map((address) => workerFinding(address, proxies)),
  );
  if (addresses.length <= maxWorkers) return findings;
  return [...findings, well('workers', `The first ${maxWorkers} of ${addresses.length} workers were asked.`)];
}

/** The workers of the configuration file count until the settings are first changed over the API. */
async function settingsOf(config: Config, database: Database<unknown> | null): Promise<SettingsInput> {
  const hasSettings = database !== null && (await tableExists(database, 'settings'));
  const stored = hasSettings
    ? await new SettingsStore(database.withTables<DispatchTables>()).get()
    : initialSettings;
  return stored.version > 0 ? stored : (seedOf(config.dispatch.workers) ?? stored);
}

function addressesOf(settings: SettingsInput): WorkerAddress[] {
  return settings.servers
    .filter(({ id }) => id !== builtInServerId)
    .flatMap(({ id, instances }) =>
      instances.map((instance) =>
        workerAddress({ ...instance, serverId: id }, { ...settings, version: settings.version ?? 0 }),
      ),
    );
}

async function workerFinding(address: WorkerAddress, proxies: ProxySettings): Promise<Finding> {
  const http = new WorkerHttp(address, {
    timer: systemTimer,
    lookup: guardedLookup({ allowPrivate: true }),
    proxies,
  });
  try {
    const { version } = await askStatus(http, { deadlineMs });
    return well('workers', `${http.label} answers (version ${version ?? 'unknown'}).`);
  } catch (error) {
    const url = `${http.isSecure ? 'https' : 'http'}://${http.label}/system_stats`;
    return wrong(
      'workers',
      messageOf(error),
      `curl -v ${shellWord(url)}   # until it answers; then switchyard instances list`,
    );
  } finally {
    http.close();
  }
}
