import type { ChannelConfig } from '../config/channels.ts';
import type { Channel } from './channel.ts';

export interface ConfiguredChannel {
  config: ChannelConfig;
  channel: Channel;
}

/** The channels that are switched on in the configuration, by their names. */
export class ChannelRegistry {
  readonly configured: readonly ChannelConfig[];
  readonly #channels: ReadonlyMap<string, ConfiguredChannel>;

  constructor(configured: readonly ChannelConfig[], open: (config: ChannelConfig) => Channel) {
    this.configured = configured;
    const enabled = configured.filter((config) => config.enabled);
    this.#channels = new Map(enabled.map((config) => [config.name, { config, channel: open(config) }]));
  }

  get(name: string): ConfiguredChannel | undefined {
    return this.#channels.get(name);
  }

  all(): ConfiguredChannel[] {
    return [...this.#channels.values()];
  }
}
