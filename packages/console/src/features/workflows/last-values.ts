import { browserStorage } from '../../lib/browser-storage.ts';
import type { FormDraft } from './form/form-draft.ts';

const prefix = 'switchyard.form.';
/** A prompt of this length is kept; a longer form begins with the values of its graph. */
const maxTextLength = 200_000;

/** What stood in the form of a workflow when this browser last showed it. */
export function readLastValues(workflowId: string): Partial<FormDraft> {
  try {
    const stored: unknown = JSON.parse(browserStorage.getItem(prefix + workflowId) ?? '{}');
    return isDraft(stored) ? stored : {};
  } catch {
    return {}; // an older page has written something else
  }
}

export function keepLastValues(workflowId: string, draft: FormDraft): void {
  const text = JSON.stringify(draft);
  if (text.length <= maxTextLength) browserStorage.setItem(prefix + workflowId, text);
}

export function forgetLastValues(workflowId: string): void {
  browserStorage.removeItem(prefix + workflowId);
}

function isDraft(value: unknown): value is Partial<FormDraft> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((part) => typeof part === 'object' && part !== null);
}
