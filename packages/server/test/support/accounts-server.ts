import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AccountsArea,
  type AccountsOptions,
  createAccounts,
} from '../../src/accounts/create-accounts.ts';
import { accountMigrations } from '../../src/accounts/migrations.ts';
import { onlySecret } from '../../src/accounts/secrets/key-file.ts';
import { SigningKeys } from '../../src/accounts/secrets/signing-keys.ts';
import type { AccountTables } from '../../src/accounts/tables.ts';
import { trustedProxies } from '../../src/http/access/client-ip.ts';
import { Guard } from '../../src/http/access/guard.ts';
import type { App } from '../../src/http/app.ts';
import { type BootstrapOutcome, bootstrapAdmin } from '../../src/ops/bootstrap-admin.ts';
import { Audit } from '../../src/platform/audit/audit.ts';
import { AuditStore } from '../../src/platform/audit/audit-store.ts';
import { auditMigrations } from '../../src/platform/audit/migrations.ts';
import type { AuditTables } from '../../src/platform/audit/tables.ts';
import { MemoryBus } from '../../src/platform/bus/memory-bus.ts';
import type { Counters } from '../../src/platform/counters/counters.ts';
import { MemoryCounters } from '../../src/platform/counters/memory-counters.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { openDatabase } from '../../src/platform/database/open.ts';
import { createLogger } from '../../src/platform/telemetry/logger.ts';
import { ManualTime } from '../../testing/manual-time.ts';
import { startTestServer, testSchema } from './test-server.ts';

export interface ServerOptions extends Partial<AccountsOptions> {
  /** Kept when the server closes. Without it a new one is created and removed. */
  home?: string;
  database?: Database<AccountTables>;
  time?: ManualTime;
  counters?: Counters;
  trusted?: string[];
  /** `none`: no account is created at start. */
  bootstrap?: 'auto' | 'interactive' | 'none';
}

/** Accounts behind the real shell and guard, with time that stands still and cheap hashes. */
export class AccountsServer {
  readonly app: App;
  readonly area: AccountsArea;
  readonly time: ManualTime;
  readonly home: string;
  readonly bus: MemoryBus;
  readonly database: Database<AccountTables>;
  readonly bootstrapped: BootstrapOutcome | undefined;
  readonly logLines: string[];
  readonly #release: () => Promise<void>;

  private constructor(parts: Omit<AccountsServer, 'close'>, release: () => Promise<void>) {
    this.app = parts.app;
    this.area = parts.area;
    this.time = parts.time;
    this.home = parts.home;
    this.bus = parts.bus;
    this.database = parts.database;
    this.bootstrapped = parts.bootstrapped;
    this.logLines = parts.logLines;
    this.#release = release;
  }

  static async start(options: ServerOptions = {}): Promise<AccountsServer> {
    const { time = new ManualTime(), trusted = [], bootstrap = 'none' } = options;
    const home = options.home ?? mkdtempSync(join(tmpdir(), 'switchyard-accounts-'));
    const database = options.database ?? (await openAccountsDatabase());
    const logLines: string[] = [];
    const log = createLogger({
      level: 'info',
      format: 'json',
      destination: { write: (line) => void logLines.push(line) },
    });
    const proxies = trustedProxies(trusted);
    const bus = new MemoryBus();
    const audit = new Audit(new AuditStore(database.withTables<AuditTables>()), time.now);
    const area = createAccounts({
      database,
      counters: options.counters ?? new MemoryCounters({ clock: time.now }),
      bus,
      audit,
      proxies,
      log,
      clock: time.now,
      timer: time.timer,
      cleanups: [],
      options: {
        keys: new SigningKeys(onlySecret('a secret that is only good for tests', 'a test'), time.now),
        sessionTtlMs: 7 * 86_400_000,
        dispatchTokenTtlMs: 86_400_000,
        registration: 'open',
        lockout: { attempts: 5, durationMs: 300_000 },
        hashing: { concurrency: 2, queue: 128 },
        commonPasswordsFile: null,
        environment: null,
        isQuiet: () => false,
        oauth: { isEnabled: false, issuer: () => 'http://127.0.0.1', fetch },
        passwordCost: 4,
        ...options,
      },
    });
    const bootstrapped =
      bootstrap === 'none'
        ? undefined
        : await bootstrapAdmin({
            store: area.store,
            passwords: area.passwords,
            audit,
            home,
            mode: bootstrap,
            email: 'admin@example.com',
            log,
            clock: time.now,
          });
    const guard = new Guard({
      authenticator: area.authenticator,
      csrf: area.csrf,
      proxies,
      allowedOrigins: [],
      isQuiet: () => false,
    });
    const server = await startTestServer({
      guard: (app) => guard.protect(app),
      routes: [...area.routes, areasOfTests],
    });
    const parts = { app: server.app, area, time, home, bus, database, bootstrapped, logLines };
    return new AccountsServer(parts, async () => {
      await server.close();
      await area.close();
      await bus.close();
      if (!options.database) await database.close();
      if (!options.home) rmSync(home, { recursive: true });
    });
  }

  async close(): Promise<void> {
    await this.#release();
  }
}

/** One route to read and one to write in each area, and the one for clients, to test what callers may do. */
function areasOfTests(app: App): void {
  const schema = testSchema;
  const handler = async () => ({ done: true });
  app.route({
    method: 'POST',
    url: '/mcp',
    config: { access: 'mcp', takesClients: true },
    schema,
    handler,
  });
  app.route({ method: 'GET', url: '/api/tasks', config: { access: 'dispatch:read' }, schema, handler });
  app.route({ method: 'POST', url: '/api/tasks', config: { access: 'dispatch:write' }, schema, handler });
  app.route({ method: 'GET', url: '/api/threads', config: { access: 'conversation:read' }, schema, handler });
  app.route({
    method: 'POST',
    url: '/api/threads',
    config: { access: 'conversation:write' },
    schema,
    handler,
  });
}

async function openAccountsDatabase(): Promise<Database<AccountTables>> {
  const database = await openDatabase({ backend: 'memory' });
  await migrate(database, 'accounts', accountMigrations);
  await migrate(database, 'audit', auditMigrations);
  return database.withTables<AccountTables>();
}
