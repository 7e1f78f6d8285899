import type { ThreadNews } from '@switchyard/contract/dispatch/push';

/** Tells the open pages of a user what happened, once it is on disk. It returns at once and does not throw. */
export type TellOwner = (userId: string, news: ThreadNews) => void;
