import type { InstanceDetail } from '@switchyard/contract/dispatch/instance';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link, useParams } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { rowMarks, rowRing } from '../../kit/rows/row-marks.ts';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { TabLinks } from '../../kit/tab-links.tsx';
import { decodePart, useQueryState } from '../../lib/address.ts';
import { instanceQuery, instancesQuery } from '../../lib/data/instances.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { AddInstanceDialog } from './add-instance-dialog.tsx';
import { DeviceMemory } from './card/device-memory.tsx';
import { EnableSwitch, InstanceCard, InstanceStateLine } from './card/instance-card.tsx';
import { InstanceMenu } from './card/instance-menu.tsx';
import { RunningNow } from './card/running-now.tsx';
import { Differences } from './differences/differences.tsx';
import { inOrderOfAttention } from './instance-state.ts';
import { InstanceJournal, Journal } from './journal.tsx';
import { Pauses } from './pauses/pauses.tsx';

/** `/instances` and `/instances/:instanceId`. */
export function InstancesPage() {
  const { instanceId } = useParams<{ instanceId?: string }>();
  return instanceId === undefined ? (
    <InstanceListPage />
  ) : (
    <InstancePage key={instanceId} instanceId={decodePart(instanceId)} />
  );
}

/** Everything about one instance. */
function InstancePage({ instanceId }: { instanceId: string }) {
  const text = useText('instances');
  const { isAdmin } = useSession();
  const instance = useQuery(instanceQuery(instanceId));
  return (
    <Page
      title={instance.data?.serverName ?? instanceId}
      lead={
        <Link href="/instances" className="text-accent hover:underline">
          {text('detail.back')}
        </Link>
      }
      actions={
        isAdmin && instance.data ? (
          <>
            <EnableSwitch instance={instance.data} />
            <InstanceMenu instance={instance.data} />
          </>
        ) : undefined
      }
    >
      <QueryView query={instance}>
        {(data) => (
          <div className="grid gap-8 lg:grid-cols-[minmax(0,22rem)_minmax(0,1fr)]">
            <div className="flex flex-col gap-4">
              <InstanceStateLine instance={data} />
              <RunningNow instance={data} />
              <DeviceMemory instance={data} />
              <Facts instance={data} />
            </div>
            <InstanceJournal instanceId={data.id} />
          </div>
        )}
      </QueryView>
    </Page>
  );
}

function Facts({ instance }: { instance: InstanceDetail }) {
  const text = useText('instances');
  const format = useFormat();
  const { capabilities } = instance;
  const { pytorchVersion, ramFreeBytes, ramTotalBytes } = instance.system ?? {};
  const models = new Set(Object.values(capabilities.models).flat());
  const facts = [
    [text('detail.address'), instance.id],
    [text('detail.server'), instance.serverId],
    [text('detail.kind'), text(`kind.${instance.kind}`)],
    [text('detail.version'), instance.version],
    [text('detail.pytorch'), pytorchVersion ?? null],
    [
      text('detail.ram'),
      ramFreeBytes !== undefined && ramTotalBytes !== undefined
        ? text('detail.ramFree', { free: format.bytes(ramFreeBytes), total: format.bytes(ramTotalBytes) })
        : null,
    ],
    [text('detail.tags'), instance.tags.length > 0 ? format.list(instance.tags) : null],
    [text('detail.nodes'), capabilities.known ? format.count(capabilities.nodeClasses.length) : null],
    [text('detail.models'), capabilities.known ? format.count(models.size) : null],
  ] as const;
  return (
    <>
      <dl className="grid grid-cols-[8rem_1fr] gap-x-4 gap-y-1 text-table">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name} className="contents">
              <dt className="text-text-2">{name}</dt>
              <dd className="min-w-0 break-words">{value}</dd>
            </div>
          ),
        )}
      </dl>
      <Link
        href={`/tasks?instance=${encodeURIComponent(instance.id)}`}
        className="text-table text-accent hover:underline"
      >
        {text('menu.tasks')}
      </Link>
    </>
  );
}

const addCommand = 'switchyard instances add 192.168.1.20:8188';
const views = ['cards', 'differences', 'journal', 'pauses'] as const;

/** The fleet: its instances, where they differ, what happened to them, and what is paused. */
function InstanceListPage() {
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
