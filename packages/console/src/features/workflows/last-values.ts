import { parameterKey } from '@switchyard/contract/dispatch/parameter-key';
import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { isRecord } from '@switchyard/contract/is-record';
import type { FormDraft } from '../../kit/fields/field-draft.ts';
import { browserStorage } from '../../lib/browser-storage.ts';

const prefix = 'switchyard.form.';
const parts = ['values', 'seeds'] as const;
/** A prompt of a megabyte is kept. A longer form would take the room of everything else, so it lasts as long as the page. */
const maxTextLength = 1_500_000;
const longForms = new Map<string, string>();

/**
 * Returns the store for the values that the form of a workflow last had in this browser. They are kept by what a field
 * sets, so they outlive another name or order of it, and a version in which it is hidden or missing.
 */
export function lastValuesOf(workflowId: string, parameters: readonly WorkflowParameter[] = []) {
  const key = prefix + workflowId;
  const named = (part: Record<string, unknown> = {}) =>
    Object.fromEntries(
      parameters.flatMap((parameter) => {
        // Earlier pages have kept values by the names of their fields.
        const value = part[parameterKey(parameter)] ?? part[parameter.name];
        return value === undefined ? [] : [[parameter.name, value]];
      }),
    );
  const placed = (part: Record<string, unknown>) =>
    Object.fromEntries(
      parameters.flatMap((parameter) =>
        parameter.name in part ? [[parameterKey(parameter), part[parameter.name]]] : [],
      ),
    );
  return {
    read: (): Partial<FormDraft> => {
      const stored = storedIn(key);
      return Object.fromEntries(parts.map((part) => [part, named(stored[part])]));
    },
    keep: (draft: FormDraft): void => {
      const stored = storedIn(key);
      const all = parts.map((part) => [part, { ...stored[part], ...placed(draft[part]) }]);
      const text = JSON.stringify(Object.fromEntries(all));
      if (text.length > maxTextLength) longForms.set(key, text);
      else {
        longForms.delete(key);
        browserStorage.setItem(key, text);
      }
    },
    forget: (): void => {
      longForms.delete(key);
      browserStorage.removeItem(key);
    },
  };
}

function storedIn(key: string): Partial<Record<string, Record<string, unknown>>> {
  try {
    const stored: unknown = JSON.parse(longForms.get(key) ?? browserStorage.getItem(key) ?? '{}');
    return isRecord(stored) && Object.values(stored).every(isRecord)
      ? (stored as Record<string, Record<string, unknown>>)
      : {};
  } catch {
    return {}; // an older page has written something else
  }
}
