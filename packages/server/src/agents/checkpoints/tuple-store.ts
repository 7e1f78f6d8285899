import type { Checkpoint, CheckpointTuple } from '@langchain/langgraph-checkpoint';
import type { Kysely, Selectable } from 'kysely';
import type { CheckpointStore } from './checkpoint-store.ts';
import { configOf } from './configurable.ts';
import { channelValues, hashesIn, type Manifest, manifestIn } from './manifest.ts';
import { metadataOf } from './metadata.ts';
import type { SharedValues } from './shared-values.ts';
import type { CheckpointRow, CheckpointTables } from './tables.ts';
import { loadPart, type Place, valueAt } from './values.ts';

type WriteRow = Selectable<CheckpointTables['checkpoint_writes']>;

/** A row together with everything that its checkpoint is made from. */
interface Gathered {
  row: CheckpointRow;
  manifest: Manifest;
  writes: (WriteRow & { place: Place })[];
}

/** Thrown when a clean-up ran between two reads. */
class ValueGone extends Error {}

/** Puts checkpoints together from their rows, their writes and the values that both refer to. */
export class TupleReader {
  readonly #read: Kysely<CheckpointTables>;
  readonly #store: CheckpointStore;

  constructor(read: Kysely<CheckpointTables>, store: CheckpointStore) {
    this.#read = read;
    this.#store = store;
  }

  /**
   * Keeps the order of the rows and leaves out checkpoints that were removed since their rows were read. With `shared`, a value
   * that several checkpoints hold is one object, and callers must not change it.
   */
  async read(rows: CheckpointRow[], shared?: SharedValues): Promise<CheckpointTuple[]> {
    const threadIds = [...new Set(rows.map((row) => row.thread_id))];
    const tuples = new Map<CheckpointRow, CheckpointTuple>();
    shared?.turn();
    for (const threadId of threadIds) {
      const ofThread = rows.filter((row) => row.thread_id === threadId);
      await this.#readThread(threadId, ofThread, { tuples, shared });
    }
    return rows.flatMap((row) => tuples.get(row) ?? []);
  }

  async #readThread(
    threadId: string,
    rows: CheckpointRow[],
    { tuples, shared }: { tuples: Map<CheckpointRow, CheckpointTuple>; shared: SharedValues | undefined },
  ): Promise<void> {
    const ids = rows.map((row) => row.checkpoint_id);
    const writes = await this.#store.writesTo(this.#read, threadId, ids);
    const gathered = rows.map((row) => gather(row, writes));
    // A hash identifies a value only within its own thread.
    const keyOf = (hash: string): string => `${hash} ${threadId}`;
    const hashes = new Set(gathered.flatMap(hashesOf).filter((hash) => !shared?.has(keyOf(hash))));
    const values = await this.#store.values(this.#read, threadId, [...hashes]);
    const load = (hash: string): unknown => {
      const value = values.get(hash);
      if (!value) throw new ValueGone();
      return loadPart(value);
    };
    const part = shared ? (hash: string) => shared.valueOf(keyOf(hash), () => load(hash)) : load;
    for (const item of gathered) {
      try {
        tuples.set(item.row, tupleOf(item, part));
      } catch (error) {
        if (!(error instanceof ValueGone)) throw error;
      }
    }
  }
}

function gather(row: CheckpointRow, writes: WriteRow[]): Gathered {
  const own = writes.filter(
    (write) => write.checkpoint_id === row.checkpoint_id && write.checkpoint_ns === row.checkpoint_ns,
  );
  return {
    row,
    manifest: manifestIn(row),
    writes: own.map((write) => ({ ...write, place: JSON.parse(write.value) as Place })),
  };
}

function hashesOf({ manifest, writes }: Gathered): string[] {
  return [...hashesIn(manifest), ...writes.flatMap(({ place }) => place)];
}

function tupleOf({ row, manifest, writes }: Gathered, part: (hash: string) => unknown): CheckpointTuple {
  const { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: id } = row;
  const parentId = row.parent_checkpoint_id;
  return {
    config: configOf({ threadId, namespace, id }),
    checkpoint: {
      ...(JSON.parse(row.checkpoint) as Checkpoint),
      id,
      channel_values: channelValues(manifest, part),
    },
    metadata: metadataOf(row),
    pendingWrites: writes.map(({ task_id, channel, place }) => [task_id, channel, valueAt(place, part)]),
    ...(parentId !== null && { parentConfig: configOf({ threadId, namespace, id: parentId }) }),
  };
}
