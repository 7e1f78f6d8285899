import type { ConsoleUsage } from '@switchyard/contract/conversation/console';
import { Download } from 'lucide-react';
import { useMemo } from 'react';
import { useSearch } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { csvText } from '../../kit/chart/csv.ts';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { TabLinks } from '../../kit/tab-links.tsx';
import { useAgentNames } from '../../lib/data/assistants.ts';
import { useText } from '../../lib/i18n.ts';
import { changeQuery } from '../../lib/query-string.ts';
import { saveFile } from '../../lib/save-file.ts';
import { GroupTable } from './group-table.tsx';
import { groupings, usageRows } from './usage-sums.ts';

/** Who and what used it: one table at a time, each with an address. */
export function UsageGroups({ usage, showsUsers }: { usage: ConsoleUsage; showsUsers: boolean }) {
  const text = useText('usage');
  const search = useSearch();
  const offered = groupings.filter((each) => each !== 'user' || showsUsers);
  const asked = new URLSearchParams(search).get('by');
  const grouping = offered.find((each) => each === asked) ?? 'model';
  const agentName = useAgentNames(usage.by_agent.map(({ agent }) => agent));
  const rows = useMemo(() => usageRows(usage, grouping, agentName), [usage, grouping, agentName]);
  const hint = useCommandHint(`switchyard usage${showsUsers ? ' --all' : ''} -o json`);
  const save = (): void => {
    const [first] = rows;
    const names = Object.keys(first ?? {}) as (keyof typeof first)[];
    saveFile(
      `usage-by-${grouping}.csv`,
      csvText([names, ...rows.map((row) => names.map((name) => row[name]))]),
    );
  };
  return (
    <section className="flex min-w-0 flex-col gap-3">
      <TabLinks
        label={text('by.label')}
        tabs={offered.map((each) => ({
          label: text(`by.${each}`),
          href: `/usage${changeQuery(search, { by: each === 'model' ? null : each })}`,
          current: each === grouping,
        }))}
      />
      {rows.length === 0 ? (
        <p className="py-4 text-text-2">{text('by.none')}</p>
      ) : (
        <>
          <GroupTable rows={rows} grouping={grouping} usage={usage} />
          <div>
            <Button
              {...hint}
              size="s"
              icon={<Download size={14} strokeWidth={1.75} aria-hidden />}
              onClick={save}
            >
              {text('by.save')}
            </Button>
          </div>
        </>
      )}
    </section>
  );
}
