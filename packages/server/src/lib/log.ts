/** The log as code uses it: structured facts first, then one sentence. Code takes `Pick<Log, 'warn'>` when it only warns. */
export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
