import { type TUnsafe, Type } from 'typebox';
import type { ChannelConfig } from './channels.ts';
import type { FormatName } from './formats.ts';
import type { ModelConfig } from './models.ts';
import type { SubagentConfig } from './subagents.ts';

/** A duration in milliseconds; the file says `25s`. */
export type Milliseconds = number;
/** A size in bytes; the file says `2MB`. */
export type Bytes = number;

export type FieldKind =
  | 'text'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'duration'
  | 'size'
  | 'path'
  | 'list'
  | 'models'
  | 'subagents'
  | 'channels';

/** One key of the configuration: a JSON Schema for editors, with marks (`x-…`) for the code that reads it. */
export interface Field {
  'x-kind': FieldKind;
  description: string;
  /** As it would be written in the file; null means that the key may be absent. */
  default: string | number | boolean | readonly string[] | null;
  /** Never shown and never quoted in a fault. */
  'x-secret': boolean;
  /** A change takes effect only at the next start. */
  'x-restart': boolean;
  /** A short environment name besides `SWITCHYARD__A__B`. */
  'x-env'?: string;
  /** The command line option that sets it. */
  'x-flag'?: FlagName;
  'x-format'?: FormatName;
  /** The default is this name inside the data home. */
  'x-under-home'?: string;
  /** The same inside `files.shared_home`, where that is set. */
  'x-under-shared-home'?: string;
  'x-minimum'?: string;
  'x-maximum'?: string;
  enum?: readonly (string | number)[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
}

export type FlagName = 'home' | 'host' | 'port';

interface Marks {
  env?: string;
  flag?: FlagName;
  secret?: boolean;
}

type Keywords = Record<string, unknown>;

export function text<Default extends string | null>(
  fallback: Default,
  description: string,
  options: Marks & { format?: FormatName; minLength?: number } = {},
): TUnsafe<Default extends string ? string : string | null> {
  const { format, minLength } = options;
  return field(
    'text',
    { fallback, description, marks: options },
    {
      type: 'string',
      ...(format && { 'x-format': format }),
      ...(minLength && { minLength }),
    },
  );
}

export function integer<Default extends number | null>(
  fallback: Default,
  description: string,
  options: Marks & { minimum: number; maximum: number },
): TUnsafe<Default extends number ? number : number | null> {
  const { minimum, maximum } = options;
  return field('integer', { fallback, description, marks: options }, { type: 'integer', minimum, maximum });
}

/** A number that may have decimals. */
export function number(
  fallback: number,
  description: string,
  options: Marks & { minimum: number; maximum: number },
): TUnsafe<number> {
  const { minimum, maximum } = options;
  return field('number', { fallback, description, marks: options }, { type: 'number', minimum, maximum });
}

export function boolean(fallback: boolean, description: string): TUnsafe<boolean> {
  return field('boolean', { fallback, description }, { type: 'boolean' });
}

export function choice<
  const Value extends string | number,
  const Default extends NoInfer<Value> | null = NoInfer<Value>,
>(values: readonly Value[], fallback: Default, description: string): TUnsafe<Value | (Default & null)> {
  return field('choice', { fallback, description }, { enum: values });
}

export function duration<Default extends string | null>(
  fallback: Default,
  description: string,
  limits: { minimum: string; maximum: string },
): TUnsafe<Default extends string ? Milliseconds : Milliseconds | null> {
  return field(
    'duration',
    { fallback, description: `${description} From ${range(limits)}.` },
    {
      type: 'string',
      pattern: '^\\d+(ms|s|m|h|d)$',
      'x-minimum': limits.minimum,
      'x-maximum': limits.maximum,
    },
  );
}

export function size(
  fallback: string,
  description: string,
  limits: { minimum: string; maximum: string },
): TUnsafe<Bytes> {
  return field(
    'size',
    { fallback, description: `${description} From ${range(limits)}.` },
    {
      type: ['string', 'integer'],
      pattern: '^\\d+ ?([kKmMgGtT]?[bB])?$',
      minimum: 0,
      'x-minimum': limits.minimum,
      'x-maximum': limits.maximum,
    },
  );
}

/** A relative path resolves against the working directory of the process. */
export function path<Default extends string | null>(
  fallback: Default,
  description: string,
  marks: Marks = {},
): TUnsafe<Default extends string ? string : string | null> {
  return field('path', { fallback, description, marks }, { type: 'string' });
}

export function pathUnderHome(name: string, description: string): TUnsafe<string> {
  return field('path', { fallback: null, description }, { type: 'string', 'x-under-home': name });
}

export function pathUnderSharedHome(name: string, description: string): TUnsafe<string> {
  return field('path', { fallback: null, description }, { type: 'string', 'x-under-shared-home': name });
}

export function list(description: string, options: Marks & { format: FormatName }): TUnsafe<string[]> {
  return field(
    'list',
    { fallback: [], description, marks: options },
    {
      type: 'array',
      items: { type: 'string' },
      maxItems: 100,
      'x-format': options.format,
    },
  );
}

/** A list of sections, or a map from their names. models.ts checks what they hold. */
export function models(description: string): TUnsafe<readonly ModelConfig[]> {
  return field('models', { fallback: [], description }, { type: ['array', 'object'] });
}

/** The same for sub-agents; see subagents.ts. */
export function subagents(description: string): TUnsafe<readonly SubagentConfig[]> {
  return field('subagents', { fallback: [], description }, { type: ['array', 'object'] });
}

/** The same for channels; see channels.ts. */
export function channels(description: string): TUnsafe<readonly ChannelConfig[]> {
  return field('channels', { fallback: [], description }, { type: ['array', 'object'] });
}

function field<Value>(
  kind: FieldKind,
  what: { fallback: Field['default']; description: string; marks?: Marks },
  keywords: Keywords,
): TUnsafe<Value> {
  const { env, flag, secret } = what.marks ?? {};
  return Type.Unsafe<Value>({
    ...keywords,
    description: what.description,
    default: what.fallback,
    'x-kind': kind,
    'x-secret': secret ?? false,
    'x-restart': true,
    ...(env && { 'x-env': env }),
    ...(flag && { 'x-flag': flag }),
  });
}

function range(limits: { minimum: string; maximum: string }): string {
  return `${limits.minimum} to ${limits.maximum}`;
}
