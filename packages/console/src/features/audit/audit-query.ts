/** The filters as the address has them; days without a time. */
export interface AuditFilters {
  actor: string | null;
  action: string | null;
  target: string | null;
  from: string | null;
  to: string | null;
}

export function hasFilter(filters: AuditFilters): boolean {
  return Object.values(filters).some((value) => value !== null);
}

/** The filters as the gateway takes them: days of the reader's clock become moments, and the last day counts whole. */
export function auditQueryOf({ actor, action, target, from, to }: AuditFilters) {
  return {
    actor: actor ?? undefined,
    action: action ?? undefined,
    target: target ?? undefined,
    from: startOfDay(from, 0),
    to: startOfDay(to, 1),
  };
}

/** Returns undefined for what is not a day, such as an address that somebody has typed. */
function startOfDay(day: string | null, addDays: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '') ?? [];
  if (year === undefined) return undefined;
  const start = new Date(Number(year), Number(month) - 1, Number(date) + addDays);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}

/** Returns what a person calls the target: by the name or address in the record, or as the account is called now. */
export function targetName(
  target: string,
  details: Readonly<Record<string, unknown>>,
  userName: (id: string) => string,
): string {
  const split = target.indexOf(':');
  const [kind, id] = [target.slice(0, split), target.slice(split + 1)];
  const recorded = [details.email, details.name].find((name) => typeof name === 'string');
  return `${kind}: ${recorded ?? (kind === 'user' ? userName(id) : id)}`;
}
