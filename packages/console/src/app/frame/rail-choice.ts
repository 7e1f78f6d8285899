import { storedChoice } from '../../lib/stored-choice.ts';

/** The choice between words and icons alone in the rail. */
export const railChoice = storedChoice('switchyard.rail', {
  values: ['wide', 'narrow'],
  fallback: () => 'wide',
});
