import * as first from './migrations/001-checkpoints.ts';
import * as noIndexOfRuns from './migrations/002-no-index-of-runs.ts';
import * as lateFollowers from './migrations/003-late-followers.ts';
import * as places from './migrations/004-places.ts';

/** In the order in which they run. A migration that has run is never changed. */
export const checkpointMigrations = [first, noIndexOfRuns, lateFollowers, places];
