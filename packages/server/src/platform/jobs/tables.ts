/** The table that jobs own. */
export interface JobTables {
  jobs: JobTable;
}

export interface JobTable {
  id: string;
  kind: string;
  key: string | null;
  payload: string;
  /**
   * By the clock of the database. Of a waiting job: when it may run. Of a running one: when its process is taken for dead,
   * and somebody else may run it. Null once it is dead, so one index and one comparison find all that is due.
   */
  dueAtMs: number | null;
  /** The process that runs it; null while it waits. */
  runner: string | null;
  /** How often it was begun. Together with `runner` it fences the end of an attempt. */
  attempt: number;
  /** Of a repeated job. */
  intervalMs: number | null;
  lastError: string | null;
  diedAtMs: number | null;
}
