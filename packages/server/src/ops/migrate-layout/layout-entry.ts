/** What became of one file or folder of the older layout; in a dry run, what would. Paths are relative to the data home. */
export interface LayoutEntry {
  path: string;
  action: LayoutAction;
  /** Where it is now. */
  to: string | null;
  /** The user below whom it lies now. */
  owner: string | null;
  note: string | null;
}

/**
 * `set_aside`: its place was taken, so it lies among the conflicts. `completed`: an earlier move had copied it and was broken
 * off; what was left of the original is gone. `removed`: an empty folder. `left`: not touched.
 */
export type LayoutAction = 'moved' | 'set_aside' | 'completed' | 'removed' | 'left' | 'failed';
