import type { ServerDefinition, SettingsInput } from '@switchyard/contract/dispatch/settings';
import { instanceIdOf, parseWorkerAddress } from '@switchyard/contract/dispatch/worker-address';
import { initialSettings } from './settings.ts';

/**
 * The addresses of the configuration file as settings; null when there are none. Plain addresses make one server. One with
 * TLS, a path or a password has a server of its own, because these belong to servers.
 */
export function seedOf(workers: readonly string[]): SettingsInput | null {
  if (workers.length === 0) return null;
  const plain: ServerDefinition = { id: 'workers', name: 'Workers', kind: 'comfyui', instances: [] };
  const own: ServerDefinition[] = [];
  for (const text of workers) {
    const address = parseWorkerAddress(text);
    if (!address) throw new Error('dispatch.workers has an address that was not checked.');
    const { ip, port, tls, basePath, headers } = address;
    if (!tls && basePath === '' && Object.keys(headers).length === 0) {
      plain.instances.push({ ip, port });
      continue;
    }
    own.push({
      id: `workers-${own.length + 1}`,
      name: instanceIdOf(address),
      kind: 'comfyui',
      ...(tls && { tls }),
      ...(basePath !== '' && { basePath }),
      headers,
      instances: [{ ip, port }],
    });
  }
  const servers = plain.instances.length > 0 ? [plain, ...own] : own;
  return { servers, healthCheck: initialSettings.healthCheck };
}
