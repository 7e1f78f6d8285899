import { useQuery } from '@tanstack/react-query';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { Select } from '../../kit/select.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { Switch } from '../../kit/switch.tsx';
import { useQueryState } from '../../lib/address.ts';
import { usageQuery } from '../../lib/data/usage.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { DayCharts } from './day-charts.tsx';
import { UsageCards } from './usage-cards.tsx';
import { UsageGroups } from './usage-groups.tsx';

const periods = ['7', '14', '30', '90'] as const;
const usualPeriod = '14';

/** Tokens beside the time of workers: by day, model, agent, workflow and, for administrators, user. */
export function UsagePage() {
  const text = useText('usage');
  const { isAdmin } = useSession();
  const [askedDays, setDays] = useQueryState('days');
  const [askedScope, setScope] = useQueryState('scope');
  const days = periods.find((each) => each === askedDays) ?? usualPeriod;
  const scope = isAdmin && askedScope === 'all' ? 'all' : 'own';
  const query = useQuery(usageQuery({ days: Number(days), scope }));
  return (
    <Page title={text('title')} lead={text('estimated')}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Select
          label={text('days')}
          value={days}
          options={periods.map((value) => ({ value, label: text('lastDays', { days: Number(value) }) }))}
          onChange={(next) => setDays(next === usualPeriod ? null : next)}
        />
        {isAdmin ? (
          <Switch
            label={text('allUsers')}
            checked={scope === 'all'}
            onChange={(all) => setScope(all ? 'all' : null)}
          />
        ) : null}
      </div>
      <QueryView
        query={query}
        isEmpty={(usage) => usage.total_runs + usage.total_tasks + usage.total_tokens === 0}
        first={
          <EmptyState title={text('none')} command={`switchyard usage --days ${days}`}>
            {text('noneHelp')}
          </EmptyState>
        }
      >
        {(usage) => (
          <div className="flex min-w-0 flex-col gap-8">
            <UsageCards usage={usage} />
            <DayCharts usage={usage} />
            <UsageGroups usage={usage} showsUsers={scope === 'all'} />
          </div>
        )}
      </QueryView>
    </Page>
  );
}
