import * as first from './migrations/001-checkpoints.ts';

/** In the order in which they run; one that has run is never changed. */
export const checkpointMigrations = [first];
