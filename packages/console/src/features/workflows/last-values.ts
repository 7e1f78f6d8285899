import type { FormDraft } from '../../kit/fields/field-draft.ts';
import { browserStorage } from '../../lib/browser-storage.ts';

const prefix = 'switchyard.form.';
/** A prompt of this length is kept; a longer form begins with the values of its graph. */
const maxTextLength = 200_000;

/** Returns the store for the values that the form of a workflow last had in this browser. */
export function lastValuesOf(workflowId: string) {
  const key = prefix + workflowId;
  return {
    read: (): Partial<FormDraft> => {
      try {
        const stored: unknown = JSON.parse(browserStorage.getItem(key) ?? '{}');
        return isDraft(stored) ? stored : {};
      } catch {
        return {}; // an older page has written something else
      }
    },
    keep: (draft: FormDraft): void => {
      const text = JSON.stringify(draft);
      if (text.length <= maxTextLength) browserStorage.setItem(key, text);
    },
    forget: (): void => browserStorage.removeItem(key),
  };
}

function isDraft(value: unknown): value is Partial<FormDraft> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((part) => typeof part === 'object' && part !== null);
}
