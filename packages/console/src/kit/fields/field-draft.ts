import { controlOf } from './field-control.ts';
import type { FieldSpec } from './field-spec.ts';
import type { SeedMode } from './seed.ts';

export interface FileDraft {
  fileId: string;
  filename: string;
}

/** The content of a field: numbers as they were typed, so that an unfinished one is not a value yet. */
export type Draft = string | boolean | FileDraft;

/** A form as a person left it. */
export interface FormDraft {
  values: Record<string, Draft>;
  seeds: Record<string, SeedMode>;
}

export function isFileDraft(draft: Draft | undefined): draft is FileDraft {
  return typeof draft === 'object' && draft !== null;
}

/** The values of the graph, with those of the last time over them where the field still takes them. */
export function draftOf(parameters: readonly FieldSpec[], last: Partial<FormDraft> = {}): FormDraft {
  const values: Record<string, Draft> = {};
  const seeds: Record<string, SeedMode> = {};
  for (const parameter of parameters) {
    if (parameter.hidden) continue;
    const { name } = parameter;
    const before = last.values?.[name];
    values[name] = before !== undefined && fits(parameter, before) ? before : draftOfValue(parameter);
    if (controlOf(parameter) === 'seed') seeds[name] = last.seeds?.[name] ?? 'fixed';
  }
  return { values, seeds };
}

function draftOfValue({ type, default: value }: FieldSpec): Draft {
  if (type === 'boolean') return value === true;
  return value === null || value === undefined ? '' : String(value);
}

function fits({ type, choices }: FieldSpec, draft: Draft): boolean {
  if (type === 'boolean') return typeof draft === 'boolean';
  if (type === 'choice') return typeof draft === 'string' && (choices?.includes(draft) ?? true);
  if (isFileDraft(draft)) return type === 'file' && typeof draft.fileId === 'string';
  return typeof draft === 'string';
}
