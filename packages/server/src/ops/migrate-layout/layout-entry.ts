/**
 * The result for one file or folder of the older layout; in a dry run, the result that it would have. Paths are
 * relative to the data home.
 */
export interface LayoutEntry {
  path: string;
  action: LayoutAction;
  /** The path where it is now. */
  to: string | null;
  /** The user in whose folder it is now. */
  owner: string | null;
  note: string | null;
}

/**
 * `set_aside`: its place was taken, so it is among the conflicts. `completed`: an earlier, interrupted move had copied
 * it, and the rest of the original was removed. `removed`: an empty folder. `left`: not touched.
 */
export type LayoutAction = 'moved' | 'set_aside' | 'completed' | 'removed' | 'left' | 'failed';
