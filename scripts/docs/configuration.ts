import type { Field } from '@switchyard/server/config/fields';
import { fields } from '@switchyard/server/config/keys';

/** docs/reference/configuration.md: one row for each key, in the order of the schema. */
export function configurationReference(): string {
  const rows = [...fields].map(([key, field]) => `| \`${key}\` | ${defaultOf(field)} | ${noteOf(field)} |`);
  return `# Configuration

Generated from \`packages/server/src/config/schema.ts\` by \`npm run docs\`.

Flags win over the environment, the environment over the file, the file over the defaults. Any key can be set as
\`SWITCHYARD__A__B\`: \`server.port\` is \`SWITCHYARD__SERVER__PORT\`. In the file, \`\${NAME}\`, \`\${NAME:-default}\` and
\`\${NAME:?message}\` take values from the environment; \`$\${\` is a plain \`\${\`. Every fault is reported at once with its line,
column and the nearest key, and the exit code is 3. \`switchyard config show --effective --sources\` prints what is in force,
secrets masked; \`switchyard config schema\` prints a JSON Schema for editors.

| Key | Default | What it is |
| --- | --- | --- |
${rows.join('\n')}
`;
}

function defaultOf(field: Field): string {
  const { default: value } = field;
  if (value === null || (Array.isArray(value) && value.length === 0)) return '';
  return `\`${Array.isArray(value) ? value.join(', ') : String(value)}\``;
}

function noteOf(field: Field): string {
  const notes = [
    field.description,
    field.enum && `One of ${field.enum.map((word) => `\`${word}\``).join(', ')}.`,
    field['x-env'] && `Also \`${field['x-env']}\`.`,
    field['x-flag'] && `Also \`--${field['x-flag']}\`.`,
    field['x-secret'] && 'Secret.',
  ];
  return notes.filter(Boolean).join(' ').replaceAll('|', '\\|');
}
