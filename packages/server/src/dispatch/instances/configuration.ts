import type { Settings, SettingsInput } from '@switchyard/contract/dispatch/settings';
import type { Fault } from '@switchyard/contract/errors';
import { AppError } from '../../lib/app-error.ts';
import { toIso } from '../../lib/clock.ts';
import { type Actor, systemActor } from '../../platform/audit/audit.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import { acceptSettings, initialSettings, maskSettings } from './settings.ts';
import { settingsFaults } from './settings-faults.ts';
import type { SettingsStore } from './settings-store.ts';

/** The servers and the health check: read, replaced as a whole, applied at once. */
export class Configuration {
  readonly #options;
  #current: Settings = initialSettings;
  #apply: () => Promise<void> = async () => undefined;

  constructor(options: Pick<DispatchParts, 'events' | 'audit' | 'clock'> & { store: SettingsStore }) {
    this.#options = options;
  }

  /** Registers the function that makes the fleet match the stored settings. */
  onChange(apply: () => Promise<void>): void {
    this.#apply = apply;
  }

  /** Includes the secrets; it must never be sent in an answer. */
  get current(): Settings {
    return this.#current;
  }

  get masked(): Settings {
    return maskSettings(this.#current);
  }

  /** The faults in a body beyond its shape; the shape may be wrong as well. */
  faultsOf(body: unknown): Fault[] {
    return settingsFaults(body, this.#current);
  }

  /** Reads what is stored; an empty database takes the servers of the configuration file. */
  async load(seed: SettingsInput | null): Promise<void> {
    this.#current = await this.#options.store.get();
    if (this.#current.version === 0 && seed)
      await this.replace(seed, { ifMatch: undefined, by: systemActor('configuration file') });
  }

  /** Applies what another replica has stored. */
  async refresh(): Promise<void> {
    const stored = await this.#options.store.get();
    if (stored.version <= this.#current.version) return;
    this.#current = stored;
    await this.#apply();
    this.#options.events.passOn({ type: 'settings_changed', settings: stored });
  }

  async replace(
    input: SettingsInput,
    { ifMatch, by }: { ifMatch: string | undefined; by: Actor },
  ): Promise<Settings> {
    const { events } = this.#options;
    const stored = await this.#store(input, { ifMatch, by });
    if (stored.version > this.#current.version) this.#current = stored;
    await this.#apply();
    events.announce({ type: 'settings_changed', settings: this.#current });
    return maskSettings(stored);
  }

  /** A request without a version replaces the present version, even one that someone else stored a moment ago. */
  async #store(
    input: SettingsInput,
    { ifMatch, by }: { ifMatch: string | undefined; by: Actor },
  ): Promise<Settings> {
    const { store, audit, clock } = this.#options;
    for (let triesLeft = maxTries; ; triesLeft -= 1) {
      const present = await store.get();
      const isMeant = ifMatch === undefined || ifMatch === '*' || versionOf(ifMatch) === present.version;
      if (!isMeant) throw new AppError('config_version_mismatch');
      const faults = settingsFaults(input, present);
      if (faults.length > 0) throw new AppError('validation_failed', { faults });
      const settings = acceptSettings(input, present);
      const alongside = audit.part(by, {
        action: 'settings.replaced',
        target: ['settings', 'dispatch'],
        details: differenceOf(present, { ...settings, version: present.version + 1 }),
      });
      const updatedBy = by.via === 'system' ? null : by.id;
      const change = { expectedVersion: present.version, at: toIso(clock()), by: updatedBy, alongside };
      const stored = await store.replace(settings, change);
      if (stored) return stored;
      if (triesLeft === 1) throw new AppError('config_version_mismatch');
    }
  }
}

/** The number of times that a change is tried when other changes keep overtaking it. */
const maxTries = 10;

/** Accepts `"7"`, `W/"7"` and plain 7. */
function versionOf(ifMatch: string): number {
  return Number(ifMatch.replace(/^W\//, '').replaceAll('"', ''));
}

/** Returns what a change of the settings did, for the record: names of servers and instances, and none of their secrets. */
function differenceOf(before: Settings, after: Settings) {
  const [old, now] = [serversOf(before), serversOf(after)];
  return {
    version: after.version,
    serversAdded: [...now.keys()].filter((id) => !old.has(id)),
    serversRemoved: [...old.keys()].filter((id) => !now.has(id)),
    serversChanged: [...now.keys()].filter((id) => old.has(id) && old.get(id) !== now.get(id)),
    healthCheckChanged: JSON.stringify(before.healthCheck) !== JSON.stringify(after.healthCheck),
  };
}

function serversOf({ servers }: Settings): Map<string, string> {
  return new Map(servers.map((server) => [server.id, JSON.stringify(server)]));
}
