import type { InstanceDetail } from '@switchyard/contract/dispatch/instance';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { instanceQuery } from '../../lib/data/instances.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { DeviceMemory } from './card/device-memory.tsx';
import { EnableSwitch, InstanceStateLine } from './card/instance-card.tsx';
import { InstanceMenu } from './card/instance-menu.tsx';
import { RunningNow } from './card/running-now.tsx';
import { InstanceJournal } from './journal.tsx';

/** Everything about one instance. */
export function InstancePage({ instanceId }: { instanceId: string }) {
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
  const models = new Set(Object.values(capabilities.models).flat());
  const facts = [
    [text('detail.address'), instance.id],
    [text('detail.server'), instance.serverId],
    [text('detail.kind'), text(`kind.${instance.kind}`)],
    [text('detail.version'), instance.version],
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
