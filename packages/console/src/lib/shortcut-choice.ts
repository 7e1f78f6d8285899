import { storedChoice } from './stored-choice.ts';

/** The choice whether single keys do something. People who dictate switch them off. */
export const shortcutChoice = storedChoice('switchyard.shortcuts', {
  values: ['on', 'off'],
  fallback: () => 'on',
});
