import type { ServerDefinition, Settings } from '@switchyard/contract/dispatch/settings';
import type { WorkerAddress } from '../worker-client/comfyui/worker-http.ts';
import type { InstanceRow } from './instance-store.ts';

/** Returns how to reach an instance: its address, plus the settings of its server. */
export function workerAddress(
  row: Pick<InstanceRow, 'ip' | 'port' | 'serverId'>,
  settings: Settings,
): WorkerAddress {
  const server = settings.servers.find(({ id }) => id === row.serverId);
  return {
    host: row.ip,
    port: row.port,
    basePath: server?.basePath ?? '',
    tls: tlsOf(server),
    headers: server?.headers ?? {},
  };
}

function tlsOf(server: ServerDefinition | undefined): WorkerAddress['tls'] {
  if (!server?.tls) return false;
  if (server.tls === true) return { verify: true, ca: null };
  return { verify: server.tls.verify ?? true, ca: server.tls.ca ?? null };
}
