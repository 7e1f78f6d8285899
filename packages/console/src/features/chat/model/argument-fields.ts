import { isRecord } from '@switchyard/contract/is-record';

/** One value among the arguments of an action that a person can read and change. */
export interface ArgumentField {
  path: string[];
  label: string;
  type: 'text' | 'number';
  value: string;
}

/** A form shows so many; the rest stands in the whole below it. */
const maxFields = 24;

/** The plain values of the arguments, those of a graph by the title of their node: `Resize · width`. */
export function argumentFields(args: Record<string, unknown>): ArgumentField[] {
  const fields = Object.entries(args).flatMap(([key, value]): ArgumentField[] => {
    if (key === 'workflow' && isRecord(value)) return graphFields(value);
    if (key === 'params' && isRecord(value)) return plainFields(value, ['params'], '');
    return plainFields({ [key]: value }, [], '');
  });
  return fields.slice(0, maxFields);
}

function graphFields(graph: Record<string, unknown>): ArgumentField[] {
  return Object.entries(graph).flatMap(([id, node]) => {
    if (!isRecord(node) || !isRecord(node.inputs)) return [];
    const meta = isRecord(node._meta) ? node._meta : {};
    const title = typeof meta.title === 'string' ? meta.title : String(node.class_type ?? id);
    return plainFields(node.inputs, ['workflow', id, 'inputs'], `${title} · `);
  });
}

function plainFields(values: Record<string, unknown>, path: string[], before: string): ArgumentField[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const type = typeof value === 'number' ? 'number' : typeof value === 'string' ? 'text' : null;
    return type === null ? [] : { path: [...path, key], label: before + key, type, value: String(value) };
  });
}

/** The arguments with another value in one place. Text that is not a number stays text, so that nothing typed is lost. */
export function withField(
  args: Record<string, unknown>,
  { path, type }: ArgumentField,
  text: string,
): Record<string, unknown> {
  const number = Number(text);
  const value = type === 'number' && text.trim() !== '' && Number.isFinite(number) ? number : text;
  return placed(args, path, value);
}

function placed(
  within: Record<string, unknown>,
  [key = '', ...rest]: string[],
  value: unknown,
): Record<string, unknown> {
  const inner = within[key];
  return { ...within, [key]: rest.length === 0 ? value : placed(isRecord(inner) ? inner : {}, rest, value) };
}
