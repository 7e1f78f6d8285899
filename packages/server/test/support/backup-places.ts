import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigOverrides, type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { loadConfig } from '@switchyard/server/config/load';
import type { Config } from '@switchyard/server/config/schema';
import { systemClock } from '@switchyard/server/lib/clock';
import {
  type RestoredBackup,
  type RestoreOptions,
  restoreBackup,
} from '@switchyard/server/ops/backup/restore-backup';
import { type BackupOptions, type TakenBackup, takeBackup } from '@switchyard/server/ops/backup/take-backup';

/** Where one gateway keeps what it has. */
export interface Place {
  home: string;
  config: ConfigOverrides;
  loaded: Config;
}

/** Homes of gateways, and a folder with backups. */
export interface Places {
  path: string;
  backups: string;
  /** On SQLite and on the disk, unless the settings say something else. */
  place(name: string, settings?: ConfigOverrides): Place;
  start(place: Place): Promise<DevGateway>;
  take(place: Place, more?: Partial<BackupOptions>): Promise<TakenBackup>;
  restore(place: Place, more?: Partial<RestoreOptions>): Promise<RestoredBackup>;
  atEnd(end: () => Promise<unknown>): void;
  close(): Promise<void>;
}

export function openPlaces(): Places {
  const folder = temporaryFolder();
  const backups = join(folder.path, 'backups');
  const ends: (() => Promise<unknown>)[] = [];
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const usual = { clock: systemClock, log: log as never, onProgress: () => undefined };
  return {
    path: folder.path,
    backups,
    place: (name, settings = {}) => {
      const home = join(folder.path, name);
      const { config } = loadConfig({ flags: { home, port: '0' }, env: {}, cwd: folder.path });
      const { database, files } = config;
      const chosen = {
        database: { backend: 'sqlite' as const, ...settings.database },
        files: settings.files ?? {},
      };
      const s3 = { ...files.s3, ...settings.files?.s3 };
      const loaded = {
        ...config,
        database: { ...database, ...chosen.database },
        files: { ...files, ...chosen.files, s3 },
      };
      return { home, config: chosen, loaded };
    },
    start: async ({ home, config }) => {
      mkdirSync(home, { recursive: true, mode: 0o700 });
      const gateway = await startGateway({ home, config });
      let stopped: Promise<void> | undefined;
      const stop = (): Promise<void> => {
        stopped ??= gateway.stop();
        return stopped;
      };
      ends.push(stop);
      return { ...gateway, stop };
    },
    take: ({ loaded }, more = {}) =>
      takeBackup({
        config: loaded,
        to: backups,
        version: '1.2.3',
        withSecrets: false,
        isFast: true,
        ...usual,
        ...more,
      }),
    restore: ({ loaded }, more = {}) =>
      restoreBackup({ config: loaded, from: backups, isLive: false, ...usual, ...more }),
    atEnd: (end) => void ends.push(end),
    close: async () => {
      for (const end of ends.reverse()) await end();
      folder.remove();
    },
  };
}
