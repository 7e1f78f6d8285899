import { type AuditRecord, listAudit } from '@switchyard/contract/accounts/audit';
import { ok } from '@switchyard/contract/envelope';
import type { Routes } from '../http/app.ts';
import { timeInRequest } from '../http/validation/time-in-request.ts';
import type { Audit } from '../platform/audit/audit.ts';
import type { AuditRow } from '../platform/audit/audit-store.ts';

export function auditRoutes({ audit }: { audit: Audit }): Routes {
  return (app) => {
    app.route({
      ...listAudit,
      handler: async (request) => {
        const { actor, action, target, from, to, limit = 50, cursor } = request.query;
        const rows = await audit.page({
          actor,
          action,
          target,
          fromMs: timeInRequest(['from'], from),
          toMs: timeInRequest(['to'], to),
          before: cursor,
          // One more row shows whether there is a further page.
          limit: limit + 1,
        });
        const items = rows.slice(0, limit).map(shownRecord);
        return ok({ items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null });
      },
    });
  };
}

function shownRecord({ details, via, ...row }: AuditRow): AuditRecord {
  return {
    ...row,
    via: via as AuditRecord['via'],
    details: JSON.parse(details) as Record<string, unknown>,
  };
}
