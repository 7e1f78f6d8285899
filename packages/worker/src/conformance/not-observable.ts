/** Thrown where a fact cannot be seen on this server: it is reported with its reason, never counted as passed. */
export class NotObservable extends Error {}
