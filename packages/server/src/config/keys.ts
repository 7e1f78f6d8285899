import type { TSchema } from 'typebox';
import type { Field } from './fields.ts';
import { configSchema } from './schema.ts';

/** A section of the schema; it has keys below it. */
export interface SettingsSection {
  description: string;
  properties: Record<string, SettingsSection | Field>;
}

export const rootSection = configSchema as TSchema as unknown as SettingsSection;

/** Every key by its dotted path, in the order of the schema. */
export const fields: ReadonlyMap<string, Field> = new Map(listFields(rootSection, ''));

export function isSection(node: SettingsSection | Field): node is SettingsSection {
  return 'properties' in node;
}

/**
 * Returns the key or section of that name. Only own properties count: `constructor` and `__proto__` are unknown keys
 * too.
 */
export function child(section: SettingsSection, name: string): SettingsSection | Field | undefined {
  return Object.hasOwn(section.properties, name) ? section.properties[name] : undefined;
}

/** `server.port` is `SWITCHYARD__SERVER__PORT` in the environment. */
export function environmentName(key: string): string {
  return `SWITCHYARD__${key.split('.').join('__').toUpperCase()}`;
}

function* listFields(section: SettingsSection, prefix: string): Generator<[string, Field]> {
  for (const [name, node] of Object.entries(section.properties)) {
    if (isSection(node)) yield* listFields(node, `${prefix}${name}.`);
    else yield [`${prefix}${name}`, node];
  }
}
