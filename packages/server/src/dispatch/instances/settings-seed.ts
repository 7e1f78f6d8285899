import type { SettingsInput } from '@switchyard/contract/dispatch/settings';
import { initialSettings } from './settings.ts';

/** The addresses of the configuration file as settings; null when there are none. */
export function seedOf(workers: readonly string[]): SettingsInput | null {
  if (workers.length === 0) return null;
  const instances = workers.map((address) => {
    const split = address.lastIndexOf(':');
    return {
      ip: address.slice(0, split).replace(/^\[(.*)\]$/, '$1'),
      port: Number(address.slice(split + 1)),
    };
  });
  const server = { id: 'workers', name: 'Workers', kind: 'comfyui', instances } as const;
  return { servers: [server], healthCheck: initialSettings.healthCheck };
}
