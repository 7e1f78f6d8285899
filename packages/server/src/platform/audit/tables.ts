/** The table of the audit record. Rows are inserted and, after their retention, deleted; none is ever changed. */
export interface AuditTables {
  audit_records: AuditRecordTable;
}

export interface AuditRecordTable {
  /** Grows with time: it gives the order of the record and its cursor. */
  id: string;
  at: string;
  /** The id of an account, or `system`. */
  actor: string;
  /** The e-mail address of the account at that time, or the part of the gateway that acted. */
  actorName: string;
  via: string;
  action: string;
  /** The id of what was changed, after the word for its kind: `user:…`, `instance:…`. */
  target: string | null;
  /** JSON: facts about the change, without secrets. */
  details: string;
  requestId: string | null;
}
