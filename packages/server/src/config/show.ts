import { stringify } from 'yaml';
import { formatDuration } from '../lib/duration.ts';
import { formatSize } from '../lib/size.ts';
import { type ChannelConfig, maskedChannels } from './channels.ts';
import { describeSource } from './faults.ts';
import type { Field } from './fields.ts';
import { withoutCredentials } from './formats.ts';
import { child, fields, isSection, rootSection, type SettingsSection } from './keys.ts';
import type { LoadedConfig } from './load.ts';
import { type ModelConfig, maskedModels } from './models.ts';
import type { Config } from './schema.ts';

interface ShownValue {
  key: string;
  /** As it would be written in the file; secrets as `***`. */
  value: unknown;
  source: string;
}

/**
 * Returns every key with its effective value and source. Without `effective`, returns only the keys that somebody set.
 */
export function listValues(loaded: LoadedConfig, options: { effective: boolean }): ShownValue[] {
  return [...fields].flatMap(([key, field]) => {
    const source = loaded.sources.get(key) ?? { kind: 'default' };
    if (source.kind === 'default' && !options.effective) return [];
    return [{ key, value: asWritten(field, valueAt(loaded.config, key)), source: describeSource(source) }];
  });
}

/** Returns the same as YAML that could serve as a configuration file, except for its masked secrets. */
export function showConfig(loaded: LoadedConfig, options: { effective: boolean; sources: boolean }): string {
  const shown = new Map(listValues(loaded, options).map((value) => [value.key, value]));
  const lines = [...sectionLines(rootSection, '', shown)];
  const width = Math.max(0, ...lines.map(({ text }) => text.length));
  return lines
    .map(({ text, source }) => (options.sources && source ? `${text.padEnd(width)}  # ${source}` : text))
    .map((line) => `${line}\n`)
    .join('');
}

function* sectionLines(
  section: SettingsSection,
  prefix: string,
  shown: ReadonlyMap<string, ShownValue>,
): Generator<{ text: string; source?: string }> {
  const indent = '  '.repeat(prefix.split('.').length - 1);
  for (const name of Object.keys(section.properties)) {
    const key = `${prefix}${name}`;
    const node = child(section, name);
    if (node && isSection(node)) {
      const lines = [...sectionLines(node, `${key}.`, shown)];
      if (lines.length > 0) yield* [{ text: `${indent}${name}:` }, ...lines];
    }
    const value = shown.get(key);
    if (value) yield { text: `${indent}${name}: ${scalar(value.value)}`, source: value.source };
  }
}

function scalar(value: unknown): string {
  return Array.isArray(value) ? JSON.stringify(value) : stringify(value, { lineWidth: 0 }).trimEnd();
}

function asWritten(field: Field, value: unknown): unknown {
  if (value === null) return null;
  if (field['x-secret']) return '***';
  if (field['x-format'] === 'worker') return (value as string[]).map(withoutCredentials);
  if (field['x-kind'] === 'channels') return maskedChannels(value as ChannelConfig[]);
  if (field['x-kind'] === 'models') return maskedModels(value as ModelConfig[]);
  if (field['x-kind'] === 'duration') return formatDuration(Number(value));
  if (field['x-kind'] === 'size') return formatSize(Number(value));
  return value;
}

function valueAt(config: Config, key: string): unknown {
  let value: unknown = config;
  for (const name of key.split('.')) value = (value as Record<string, unknown>)[name];
  return value;
}
