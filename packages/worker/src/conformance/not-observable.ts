/**
 * Thrown when a fact cannot be seen on this server. The fact is reported with this reason and never counted as passed.
 */
export class NotObservable extends Error {}
