import { type Static, Type } from 'typebox';

const seconds = (usual: number, description: string) =>
  Type.Optional(
    Type.Number({ minimum: 1, maximum: 86_400, description: `${description} ${usual} when absent.` }),
  );

/** The times that a worker may be unreachable, silent or disobedient before the gateway gives up the attempt on it. */
export const patience = Type.Object(
  {
    lostSeconds: seconds(30, 'For a worker that cannot be reached: then its run is lost.'),
    refusedSeconds: seconds(
      3,
      'The same for one that refuses connections, for then its process is gone; never more than `lostSeconds` unless it is set.',
    ),
    silentSeconds: seconds(600, 'For a worker that answers and gives no sign of the run: then it is stuck.'),
    cancelSeconds: seconds(20, 'For a run that was asked to stop: then the task ends without it.'),
  },
  { additionalProperties: false },
);
export type Patience = Static<typeof patience>;
