import type { Settings, SettingsInput } from '@switchyard/contract/dispatch/settings';
import { AppError } from '../lib/app-error.ts';
import { type Clock, toIso } from '../lib/clock.ts';
import type { DispatchEvents } from './dispatch-events.ts';
import { acceptSettings, initialSettings, maskSettings } from './settings.ts';
import type { SettingsStore } from './settings-store.ts';

interface ConfigurationOptions {
  store: SettingsStore;
  events: DispatchEvents;
  /** Brings the fleet in line with what was stored. */
  apply: () => Promise<void>;
  clock: Clock;
}

/** The servers and the health check: read, replaced as a whole, applied at once. */
export class Configuration {
  readonly #options: ConfigurationOptions;
  #current: Settings = initialSettings;

  constructor(options: ConfigurationOptions) {
    this.#options = options;
  }

  /** With secrets; never for an answer. */
  get current(): Settings {
    return this.#current;
  }

  get masked(): Settings {
    return maskSettings(this.#current);
  }

  /** Reads what is stored; a database that has nothing yet takes the servers of the configuration file. */
  async load(seed: SettingsInput | null): Promise<void> {
    this.#current = await this.#options.store.get();
    if (this.#current.version === 0 && seed) await this.replace(seed, { ifMatch: undefined, by: null });
  }

  async replace(
    input: SettingsInput,
    { ifMatch, by }: { ifMatch: string | undefined; by: string | null },
  ): Promise<Settings> {
    const { store, events, apply, clock } = this.#options;
    const stored = await store.get();
    if (ifMatch !== undefined && ifMatch !== '*' && versionOf(ifMatch) !== stored.version) {
      throw new AppError('config_version_mismatch');
    }
    const { settings, faults } = acceptSettings(input, stored);
    if (faults.length > 0) throw new AppError('validation_failed', { faults });
    this.#current = await store.replace(settings, {
      expectedVersion: stored.version,
      at: toIso(clock()),
      by,
    });
    await apply();
    events.announce({ type: 'settings_changed', settings: this.#current });
    return this.masked;
  }
}

/** `"7"`, `W/"7"` or plain 7. */
function versionOf(ifMatch: string): number {
  return Number(ifMatch.replace(/^W\//, '').replaceAll('"', ''));
}
