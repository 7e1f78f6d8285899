import * as first from './migrations/001-checkpoints.ts';

/** In the order in which they run. A migration that has run is never changed. */
export const checkpointMigrations = [first];
