import type {
  BackupOptions,
  DatabaseSyncInstance,
  DatabaseSyncOptions,
  StatementSyncInstance,
} from '@photostructure/sqlite';

export type SqliteHandle = DatabaseSyncInstance;
export type SqliteStatement = StatementSyncInstance;

interface SqliteLibrary {
  DatabaseSync: new (location: string, options?: DatabaseSyncOptions) => SqliteHandle;
  backup: (source: SqliteHandle, destination: string, options?: BackupOptions) => Promise<number>;
}

/** The first release whose own SQLite is no longer experimental, so it prints no warning. */
const firstMajorWithOwnSqlite = 24;

/** Node's own SQLite if there is one, else the same interface from a package that brings its binaries along. */
export const { DatabaseSync, backup }: SqliteLibrary = await load();

async function load(): Promise<SqliteLibrary> {
  const major = Number.parseInt(process.versions.node, 10);
  const library: unknown =
    major >= firstMajorWithOwnSqlite
      ? process.getBuiltinModule('node:sqlite')
      : await import('@photostructure/sqlite');
  return library as SqliteLibrary;
}
