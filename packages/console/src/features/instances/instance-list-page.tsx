import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { rowMarks, rowRing } from '../../kit/rows/row-marks.ts';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { TabLinks } from '../../kit/tab-links.tsx';
import { useQueryState } from '../../lib/address.ts';
import { instancesQuery } from '../../lib/data/instances.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { AddInstanceDialog } from './add-instance-dialog.tsx';
import { InstanceCard } from './card/instance-card.tsx';
import { Differences } from './differences/differences.tsx';
import { inOrderOfAttention } from './instance-state.ts';
import { Journal } from './journal.tsx';
import { Pauses } from './pauses/pauses.tsx';

const addCommand = 'switchyard instances add 192.168.1.20:8188';
const views = ['cards', 'differences', 'journal', 'pauses'] as const;

/** The fleet: its instances, where they differ, what happened to them, and what is paused. */
export function InstanceListPage() {
  const text = useText('instances');
  const { isAdmin } = useSession();
  const [given] = useQueryState('view');
  const [adding, setAdding] = useState(false);
  const view = views.find((each) => each === given) ?? 'cards';
  const hint = useCommandHint(addCommand);
  const add = isAdmin ? (
    <Button
      {...hint}
      variant="solid"
      icon={<Plus size={16} strokeWidth={1.75} aria-hidden />}
      onClick={() => setAdding(true)}
    >
      {text('add.open')}
    </Button>
  ) : null;
  return (
    <Page title={text('title')} actions={add}>
      <TabLinks
        label={text('view.label')}
        tabs={views.map((each) => ({
          label: text(`view.${each}`),
          href: each === 'cards' ? '/instances' : `/instances?view=${each}`,
          current: view === each,
        }))}
      />
      {view === 'cards' ? <Cards add={add} /> : null}
      {view === 'differences' ? <Differences /> : null}
      {view === 'journal' ? <Journal /> : null}
      {view === 'pauses' ? <Pauses /> : null}
      {adding ? <AddInstanceDialog onClose={() => setAdding(false)} /> : null}
    </Page>
  );
}

function Cards({ add }: { add: ReactNode }) {
  const text = useText('instances');
  const instances = useQuery(instancesQuery());
  return (
    <QueryView
      query={instances}
      isEmpty={(list) => list.length === 0}
      first={
        <EmptyState title={text('empty.title')} action={add} command={addCommand}>
          {text('empty.how')}
        </EmptyState>
      }
    >
      {(list) => (
        <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
          {inOrderOfAttention(list).map((instance) => (
            <li key={instance.id} {...rowMarks(instance.id)} className={`flex min-w-0 ${rowRing}`}>
              <InstanceCard instance={instance} />
            </li>
          ))}
        </ul>
      )}
    </QueryView>
  );
}
