/** What code needs of the log: structured facts first, then one sentence. It takes `Pick<Log, 'warn'>` when it only warns. */
export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
