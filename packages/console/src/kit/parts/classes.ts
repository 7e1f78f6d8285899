/** Joins the class names that apply; false and undefined are left out. */
export function classes(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

/** The ring that shows the keyboard's place; every control has it. */
export const focusRing = 'outline-accent focus-visible:outline-2 focus-visible:outline-offset-2';

/** The frame of a control that takes text or a choice. */
export const controlFrame =
  'rounded-control border border-control bg-surface text-text placeholder:text-text-3 disabled:opacity-50 aria-invalid:border-failed';
