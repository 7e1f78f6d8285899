import type { TSchema } from 'typebox';
import type { Field } from './fields.ts';
import { configSchema } from './schema.ts';

/** A section of the schema; it has keys below it. */
export interface Section {
  description: string;
  properties: Record<string, Section | Field>;
}

export const rootSection = configSchema as TSchema as unknown as Section;

/** Every key by its dotted path, in the order of the schema. */
export const fields: ReadonlyMap<string, Field> = new Map(listFields(rootSection, ''));

export function isSection(node: Section | Field): node is Section {
  return 'properties' in node;
}

/**
 * Returns the key or section of that name. Only own properties count: `constructor` and `__proto__` are unknown keys
 * too.
 */
export function child(section: Section, name: string): Section | Field | undefined {
  return Object.hasOwn(section.properties, name) ? section.properties[name] : undefined;
}

/** `server.port` is `SWITCHYARD__SERVER__PORT` in the environment. */
export function environmentName(key: string): string {
  return `SWITCHYARD__${key.split('.').join('__').toUpperCase()}`;
}

function* listFields(section: Section, prefix: string): Generator<[string, Field]> {
  for (const [name, node] of Object.entries(section.properties)) {
    if (isSection(node)) yield* listFields(node, `${prefix}${name}.`);
    else yield [`${prefix}${name}`, node];
  }
}
