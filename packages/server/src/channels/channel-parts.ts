import type { Artifacts } from '../conversation/workspace/artifacts.ts';
import type { Uploads } from '../conversation/workspace/uploads.ts';
import type { Timer } from '../lib/async/timer.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { ChannelJobs } from './channel-jobs.ts';
import type { ChannelNetwork } from './channel-network.ts';
import type { ChannelRegistry } from './channel-registry.ts';
import type { FindAccount } from './channel-senders.ts';
import type { ChannelStore } from './channel-store.ts';

/** The parts that several files of the area need. Each takes its share: `Pick<ChannelParts, 'clock' | 'log'>`. */
export interface ChannelParts {
  store: ChannelStore;
  registry: ChannelRegistry;
  findAccount: FindAccount;
  uploads: Pick<Uploads, 'add' | 'list'>;
  artifacts: Pick<Artifacts, 'open'>;
  network: ChannelNetwork;
  jobs: ChannelJobs;
  clock: Clock;
  timer: Timer;
  log: Pick<Log, 'warn'>;
}
