import { storedChoice } from '../../lib/stored-choice.ts';

/** Whether the rail shows words or icons alone. */
export const railChoice = storedChoice('switchyard.rail', {
  values: ['wide', 'narrow'],
  fallback: () => 'wide',
});
