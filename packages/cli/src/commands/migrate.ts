import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { loadConfig } from '@switchyard/server/config/load';
import type { Config } from '@switchyard/server/config/schema';
import { steadyClock } from '@switchyard/server/lib/clock';
import type { LayoutEntry } from '@switchyard/server/ops/migrate-layout/layout-entry';
import type { ThreadFate } from '@switchyard/server/ops/migrate-layout/thread-owner-store';
import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { addHomeOptions, type HomeFlags, requireHome } from '../gateway-home.ts';
import { describeCommand } from '../help.ts';
import { addOutputOption, type OutputOptions, printJson, printTable } from '../output.ts';
import { stepView } from '../step-view.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { addMigrateFiles } from './migrate-files.ts';

interface LayoutFlags extends HomeFlags, OutputOptions {
  dryRun?: true;
}

export function addMigrateCommand(program: Command, terminal: Terminal): void {
  const command = program.command('migrate');
  describeCommand(command, {
    purpose: 'move data to another place',
    examples: [
      'switchyard migrate db --to postgres://switchyard@127.0.0.1/switchyard',
      'switchyard migrate files --to disk',
      'switchyard migrate layout --dry-run',
    ],
  });
  addDatabase(command, terminal);
  addLayout(command, terminal);
  addMigrateFiles(command, terminal);
}

interface DatabaseFlags extends HomeFlags, OutputOptions {
  to: string;
  dryRun?: true;
  verify?: true;
}

function addDatabase(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('db')
    .requiredOption(
      '--to <url>',
      'empty database: postgres://user@host:5432/name, or sqlite:<folder>; other users of this machine see what stands here, so the password does not',
    )
    .option('--dry-run', 'check both and count rows, and change nothing')
    .option('--verify', 'read the new database again and compare every row')
    .action((options: DatabaseFlags) => migrateDatabase(options, terminal));
  addHomeOptions(command);
  addOutputOption(command);
  describeCommand(command, {
    purpose: 'copy all rows between SQLite and Postgres; the gateway must be stopped',
    examples: [
      'export PGPASSWORD="$(cat postgres-password.txt)"    # not in --to',
      'switchyard migrate db --to postgres://switchyard@127.0.0.1/switchyard --dry-run',
      'switchyard migrate db --to postgres://switchyard@127.0.0.1/switchyard --verify',
      'switchyard migrate db --to sqlite:/srv/switchyard/data',
    ],
    environment: {
      PGPASSWORD: 'the password of Postgres, where --to or database.url has none',
    },
    exits: ['ok', 'failed', 'usage', 'config', 'unreachable'],
  });
}

async function migrateDatabase(
  { to, dryRun, verify, output, ...flags }: DatabaseFlags,
  terminal: Terminal,
): Promise<void> {
  const { env, cwd, stderr } = terminal;
  const { config } = loadConfig({ flags, env, cwd });
  const target = targetOf(to, cwd);
  const [{ moveDatabase }, { createLogger }] = await Promise.all([
    import('@switchyard/server/ops/backup/move-database'),
    import('@switchyard/server/platform/telemetry/logger'),
  ]);
  const view = stepView(stderr, env, steadyClock);
  const moved = await moveDatabase({
    config,
    to: target,
    isDryRun: dryRun === true,
    isVerified: verify === true,
    log: createLogger(config.observability.log),
    onProgress: view.show,
  }).finally(view.clear);
  if (output === 'json') printJson(terminal, { ...moved, dryRun: dryRun === true });
  else {
    const rows = Object.entries(moved.tables).filter(([, { rows }]) => rows > 0);
    printTable(terminal, { columns: tableColumns, rows, none: 'The database has no rows.' });
  }
  if (dryRun) stderr.write('A dry run: nothing was changed.\n');
  else
    stderr.write(
      target.backend === 'postgres'
        ? 'All rows are there. Set database.backend to postgres and database.url to that address, then start the gateway.\n'
        : `All rows are there. Set database.backend to sqlite and database.sqlite_dir to ${dirname(target.file)}, then start the gateway.\n`,
    );
}

/** An address of Postgres, or the folder of a SQLite file. */
function targetOf(to: string, cwd: string) {
  if (/^postgres(ql)?:\/\//.test(to)) {
    if (URL.canParse(to)) return { backend: 'postgres' as const, url: to, poolSize: 1 };
    throw new CommandError('usage', '--to is not an address: postgres://user@host:5432/name.');
  }
  if (to.startsWith('sqlite:') && to.length > 'sqlite:'.length)
    return { backend: 'sqlite' as const, file: resolve(cwd, to.slice('sqlite:'.length), 'switchyard.db') };
  throw new CommandError(
    'usage',
    '--to names a database: postgres://user@host:5432/name, or sqlite: and a folder.',
  );
}

const tableColumns: Column<[string, { rows: number; sum: string }]>[] = [
  { title: 'TABLE', of: ([name]) => name },
  { title: 'ROWS', of: ([, { rows }]) => String(rows) },
  { title: 'SUM', of: ([, { sum }]) => sum },
];

function addLayout(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('layout')
    .option('--dry-run', 'say what would be moved and change nothing; works beside a running gateway')
    .action(async ({ dryRun, output, ...flags }: LayoutFlags) => {
      const { config } = loadConfig({ flags, env: terminal.env, cwd: terminal.cwd });
      const isDryRun = dryRun === true;
      const { entries, notes } = await migrate(config, isDryRun);
      if (output === 'json')
        printJson(terminal, { home: config.data_home, dryRun: isDryRun, notes, entries });
      else printReport({ entries, notes, isDryRun }, terminal);
      const failed = entries.filter(({ action }) => action === 'failed');
      if (failed.length === 0) return;
      throw new CommandError(
        'failed',
        `${failed.length} could not be moved. Run the command again when the cause is gone.`,
      );
    });
  addHomeOptions(command);
  addOutputOption(command);
  describeCommand(command, {
    purpose: 'move files of threads, memory and agents below their users; the gateway must be stopped',
    examples: [
      'switchyard migrate layout --dry-run',
      'switchyard migrate layout --home /srv/switchyard -o json',
    ],
    exits: ['ok', 'failed', 'config', 'conflict', 'unreachable'],
  });
}

interface Migrated {
  entries: LayoutEntry[];
  /** Notes about the whole migration. */
  notes: string[];
}

/**
 * A running gateway could write to a place from which this has just moved files, so only one of the two may use the
 * data home.
 */
async function migrate(config: Config, isDryRun: boolean): Promise<Migrated> {
  const { data_home: home } = config;
  requireHome(config);
  if (isDryRun) return migrateAlone(config, isDryRun);
  const { acquireHomeLock } = await import('@switchyard/server/platform/home-lock');
  const lock = await acquireHomeLock(home).catch((error: unknown) => {
    throw new CommandError('conflict', error instanceof Error ? error.message : String(error), error);
  });
  try {
    return await migrateAlone(config, isDryRun);
  } finally {
    lock.release();
  }
}

async function migrateAlone(config: Config, isDryRun: boolean): Promise<Migrated> {
  const [{ databaseOptions }, { openDatabase }, { createLogger }, { migrateLayout }, { ThreadOwnerStore }] =
    await Promise.all([
      import('@switchyard/server/ops/options-of-config'),
      import('@switchyard/server/platform/database/open'),
      import('@switchyard/server/platform/telemetry/logger'),
      import('@switchyard/server/ops/migrate-layout/migrate-layout'),
      import('@switchyard/server/ops/migrate-layout/thread-owner-store'),
    ]);
  const { data_home: home } = config;
  const options = databaseOptions(config, createLogger(config.observability.log));
  if (options.backend === 'memory') {
    const nobody = async () => new Map<string, ThreadFate>();
    return { entries: await migrateLayout({ home, isDryRun, fatesOf: nobody }), notes: [noOwners] };
  }
  if (options.backend === 'sqlite' && !existsSync(options.file)) {
    throw new CommandError('failed', `There is no database at ${options.file}. ${startOnce}`);
  }
  const database = await openDatabase(options);
  try {
    const store = new ThreadOwnerStore(database);
    if (!(await store.isReady(reason)))
      throw new CommandError('failed', `The database has no threads yet. ${startOnce}`);
    const fatesOf = (threadIds: readonly string[]) => store.of(reason, threadIds);
    return { entries: await migrateLayout({ home, isDryRun, fatesOf }), notes: [] };
  } finally {
    await database.close();
  }
}

const reason = { system: 'migrate layout' };
const noOwners =
  'With database.backend: memory no owner of a thread is known, so everything goes to the user "default".';
const startOnce = 'It says whose the threads are. Start the gateway once, which makes it, and stop it again.';

function printReport(
  { entries, notes, isDryRun }: Migrated & { isDryRun: boolean },
  terminal: Terminal,
): void {
  for (const note of notes) terminal.stderr.write(`${note}\n`);
  printTable(terminal, { columns, rows: entries, none: 'Nothing lies in the older layout.' });
  if (entries.length === 0) return;
  const counts = new Map<string, number>();
  for (const { action } of entries) counts.set(action, (counts.get(action) ?? 0) + 1);
  const summary = [...counts].map(([action, count]) => `${count} ${action.replace('_', ' ')}`).join(', ');
  terminal.stderr.write(
    isDryRun ? `A dry run: nothing was changed. It would be: ${summary}\n` : `${summary}\n`,
  );
}

const columns: Column<LayoutEntry>[] = [
  { title: 'ACTION', of: ({ action }) => action },
  { title: 'FROM', of: ({ path }) => path },
  { title: 'TO', of: ({ to }) => to },
  { title: 'NOTE', of: ({ note }) => note ?? '' },
];
