import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/** The account of a server of a test. */
export interface Account {
  uid: number;
  gid: number;
}

interface ServerPlace {
  /** The folder of its data, which is in `folder`. */
  data: string;
  /** The folder of its socket. */
  folder: string;
  isDurable: boolean;
  /** Counts statements in `pg_stat_statements`, which costs a little. */
  countsStatements?: boolean;
}

/** The lines that a test may read of what a server wrote. */
export const keptLines = 200;

const quick = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

export function dataFolder(folder: string): string {
  return join(folder, 'data');
}

/** The arguments of initdb. */
export function initArguments(data: string): string[] {
  return ['-D', data, '-U', 'switchyard', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
}

/** The arguments of a server that listens on its socket alone. */
export function serverArguments({ data, folder, isDurable, countsStatements }: ServerPlace): string[] {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: folder,
    unix_socket_permissions: '0700',
    max_connections: '300',
    shared_buffers: '64MB',
    ...(isDurable ? {} : quick),
    ...(countsStatements && { shared_preload_libraries: 'pg_stat_statements' }),
  };
  return ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Returns whose process the server is, since it refuses to run as root. */
export function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  return { uid: 65534, gid: 65534 };
}

/** Returns the address of a new, empty database. */
export async function createDatabase(socketFolder: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const client = new pg.Client({ connectionString: addressOf(socketFolder, 'postgres') });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  return addressOf(socketFolder, name);
}

function addressOf(socketFolder: string, database: string): string {
  return `postgres://switchyard@localhost/${database}?host=${encodeURIComponent(socketFolder)}`;
}
