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
   * By the clock of the database. For a waiting job: when it may run. For a running job: when its process counts as
   * dead, and another may run it. Null once the job is dead, so that one index and one comparison find all due jobs.
   */
  dueAtMs: number | null;
  /**
   * The time until `dueAtMs` when it was written, so the job never has to wait longer, whatever the clock does. Null for a
   * time that someone chose.
   */
  waitMs: number | null;
  /** The process that runs it; null while it waits. */
  runner: string | null;
  /** The number of times that it was begun. Together with `runner` it fences the end of an attempt. */
  attempt: number;
  /** Set for a repeated job. */
  intervalMs: number | null;
  lastError: string | null;
  diedAtMs: number | null;
}
