import { join } from 'node:path';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { AgentClient } from './agent-client.ts';
import { startPeer } from './peer-process.ts';

/** A server that runs the graphs of benchmarks/graphs as `echo`, `fast`, `brief`, `paced`, `held` and, with a provider, `answering`. */
export interface AgentServer {
  client: AgentClient;
  close: () => Promise<void>;
}

export interface BenchGateway extends AgentServer {
  gateway: SpawnedGateway;
  /** The settings with which it was started, for a further replica. */
  env: Record<string, string>;
  /** A client of the same user at another replica. */
  clientAt: (url: string) => AgentClient;
  session: HttpSession;
  databaseFile: string;
}

const graphs = {
  echo: join(import.meta.dirname, '../graphs/echo.ts:graph'),
  fast: join(import.meta.dirname, '../graphs/tokens.ts:fast'),
  brief: join(import.meta.dirname, '../graphs/tokens.ts:brief'),
  paced: join(import.meta.dirname, '../graphs/tokens.ts:paced'),
  held: join(import.meta.dirname, '../graphs/tokens.ts:held'),
};
const answering = join(import.meta.dirname, '../graphs/answering.ts:graph');
const account = { email: 'bench@example.com', password: 'measures all day long' };

/** The built gateway on SQLite, every commit synced, for a user with an access token as LangGraph's clients send it. */
export async function startGateway(
  env: Record<string, string> = {},
  { provider }: { provider?: string } = {},
): Promise<BenchGateway> {
  const home = temporaryFolder();
  const served = provider === undefined ? graphs : { ...graphs, answering };
  const agents = Object.entries(served).map(([name, target]) => `${name}=${target}`);
  const settings = {
    SWITCHYARD__AGENTS: agents.join(','),
    SWITCHYARD__OBSERVABILITY__LOG__LEVEL: 'warn',
    ...(provider !== undefined && { BENCH_PROVIDER: provider }),
    ...env,
  };
  const gateway = await SpawnedGateway.start({ home: home.path, env: settings });
  const session = await HttpSession.register(gateway.url, account);
  const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
    name: 'bench',
    scopes: ['conversation:read', 'conversation:write'],
  });
  const clientAt = (url: string): AgentClient =>
    new AgentClient({ url: `${new URL(url).origin}/api/langgraph`, headers: { 'x-api-key': token } });
  const client = clientAt(gateway.url);
  return {
    gateway,
    env: settings,
    clientAt,
    session,
    client,
    databaseFile: join(home.path, 'data', 'switchyard.db'),
    close: async () => {
      client.close();
      await gateway.stop();
      home.remove();
    },
  };
}

/** The in-memory server from npm, with as many workers as it is ever given clients. */
export async function startMemoryServer(): Promise<AgentServer> {
  const folder = temporaryFolder();
  const peer = await startPeer('memory-agent-server.mjs', { args: [folder.path, JSON.stringify(graphs)] });
  const client = new AgentClient({ url: peer.says });
  return {
    client,
    close: async () => {
      client.close();
      peer.stop();
      folder.remove();
    },
  };
}

/** The cost of a request for which no work is done. */
export async function startBareHttp(): Promise<AgentServer> {
  const peer = await startPeer('bare-http.mjs');
  const client = new AgentClient({ url: peer.says });
  return {
    client,
    close: async () => {
      client.close();
      peer.stop();
    },
  };
}
