import { getConsoleUsage } from '@switchyard/contract/conversation/console';
import { queryOptions } from '@tanstack/react-query';
import { gateway } from '../gateway.ts';
import { keys } from './keys.ts';

/** Tokens, tasks and costs by day, as the clock of this browser counts days. */
export function usageQuery({ days, scope = 'own' }: { days: number; scope?: 'own' | 'all' }) {
  return queryOptions({
    queryKey: [...keys.usage, { days, scope }],
    queryFn: ({ signal }) =>
      gateway.call(getConsoleUsage, {
        query: { days, scope, tz_offset_minutes: -new Date().getTimezoneOffset() },
        signal,
      }),
  });
}
