import type { DispatchUpkeep } from '../../dispatch/monitor/upkeep.ts';
import type { AuditStore } from '../../platform/audit/audit-store.ts';
import type { Database } from '../../platform/database/database.ts';
import type { JobRecords } from '../../platform/jobs/jobs.ts';
import type { LeaseStore } from '../../platform/ownership/lease-store.ts';

/** Everything that the report reads from the database. */
export interface SystemRows {
  database: Database<unknown>;
  jobs: JobRecords;
  leases: Pick<LeaseStore, 'current'>;
  /** Null when the area is switched off. */
  upkeep: DispatchUpkeep | null;
  countAudit: AuditStore['countBefore'];
  emailOf: (userId: string) => Promise<string | null>;
}
