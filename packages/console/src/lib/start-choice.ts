import { type StoredChoice, storedChoice } from './stored-choice.ts';

const choices = new Map<string, StoredChoice<'shown' | 'dismissed'>>();

/** Returns whether the account still wants the page with the first steps. Each account of a browser chooses for itself. */
export function startChoiceOf(accountId: string): StoredChoice<'shown' | 'dismissed'> {
  const known = choices.get(accountId);
  if (known) return known;
  const made = storedChoice(`switchyard.start.${accountId}`, {
    values: ['shown', 'dismissed'],
    fallback: () => 'shown',
  });
  choices.set(accountId, made);
  return made;
}
