import type { Field } from './fields.ts';
import { isSection, rootSection, type SettingsSection } from './keys.ts';

type JsonSchema = Record<string, unknown>;

/** The JSON Schema of the file for editors: `# yaml-language-server: $schema=…`. */
export function configJsonSchema(): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'switchyard.yaml',
    ...sectionSchema(rootSection),
  };
}

/** A key or a section that is left empty means its default. That is why null is allowed everywhere. */
function sectionSchema(section: SettingsSection): JsonSchema {
  const properties = Object.entries(section.properties).map(([name, node]) => [
    name,
    isSection(node) ? sectionSchema(node) : fieldSchema(node),
  ]);
  return {
    type: ['object', 'null'],
    description: section.description,
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

/** Any value may be written as a reference to the environment, whatever its own type is. */
function fieldSchema(field: Field): JsonSchema {
  const { description, default: fallback, ...rest } = field;
  const keywords = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('x-')));
  return {
    description,
    ...(fallback !== null && { default: fallback }),
    anyOf: [keywords, { type: 'string', pattern: '\\$\\{' }, { type: 'null' }],
  };
}
