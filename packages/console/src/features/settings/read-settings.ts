import type { SettingsInput } from '@switchyard/contract/dispatch/settings';
import { isRecord } from '@switchyard/contract/is-record';

export type ReadSettings =
  | { settings: SettingsInput }
  | { problem: 'syntax'; message: string }
  | { problem: 'shape' };

/** Reads the JSON of the settings far enough for a form: the gateway judges the values. */
export function readSettings(text: string): ReadSettings {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: 'syntax', message: error instanceof Error ? error.message : String(error) };
  }
  return hasShape(value) ? { settings: value } : { problem: 'shape' };
}

export function writeSettings({ servers, healthCheck }: SettingsInput): string {
  return JSON.stringify({ servers, healthCheck }, null, 2);
}

function hasShape(value: unknown): value is SettingsInput {
  if (!isRecord(value) || !isRecord(value.healthCheck) || !Array.isArray(value.servers)) return false;
  return value.servers.every(
    (server) =>
      isRecord(server) &&
      typeof server.id === 'string' &&
      Array.isArray(server.instances) &&
      server.instances.every(isRecord),
  );
}
