import { type Delivery, redeliver, type Webhook } from '@switchyard/contract/dispatch/webhook';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { QueryView } from '../../kit/query-view.tsx';
import { MoreRows } from '../../kit/rows/more-rows.tsx';
import { RowLink } from '../../kit/rows/row-link.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { type StatusKind, StatusWord } from '../../kit/status-word.tsx';
import type { Column } from '../../kit/table/column.ts';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { deliveriesQuery, webhooksKey } from './webhooks-query.ts';

const kinds: Record<Delivery['status'], StatusKind> = {
  waiting: 'waiting',
  delivered: 'done',
  failed: 'failed',
};

/** What was sent to a webhook, and how the receiver took it. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const text = useText('webhooks');
  const deliveries = useInfiniteQuery(deliveriesQuery(webhook.id));
  return (
    <section aria-labelledby="deliveries" className="flex min-w-0 flex-col gap-2 pt-4">
      <h2 id="deliveries" className="text-lead font-semibold break-all">
        {text('deliveries.title', { url: webhook.url })}
      </h2>
      <QueryView
        query={deliveries}
        isEmpty={({ pages }) => pages[0]?.total === 0}
        first={<EmptyState title={text('deliveries.first')}>{text('deliveries.cause')}</EmptyState>}
      >
        {({ pages }) => (
          <DeliveryTable webhookId={webhook.id} deliveries={pages.flatMap(({ items }) => items)} />
        )}
      </QueryView>
      <MoreRows query={deliveries} />
    </section>
  );
}

function DeliveryTable({ webhookId, deliveries }: { webhookId: string; deliveries: readonly Delivery[] }) {
  const text = useText('webhooks');
  const columns: Column<Delivery>[] = [
    {
      id: 'task',
      header: text('deliveries.task'),
      width: '11rem',
      cell: ({ taskId }) => (
        <RowLink
          href={`/tasks/${taskId}`}
          command={`switchyard tasks get ${taskId}`}
          className="truncate font-mono text-accent underline"
        >
          {taskId}
        </RowLink>
      ),
    },
    { id: 'event', header: text('deliveries.event'), width: '8rem', cell: ({ event }) => event },
    {
      id: 'status',
      header: text('deliveries.status'),
      width: '7rem',
      cell: ({ status }) => (
        <StatusWord kind={kinds[status]}>{text(`deliveries.state.${status}`)}</StatusWord>
      ),
    },
    {
      id: 'answer',
      header: text('deliveries.answer'),
      isLong: true,
      cell: (delivery) => <Answer delivery={delivery} />,
    },
    {
      id: 'at',
      header: text('deliveries.at'),
      width: '6rem',
      wideOnly: true,
      cell: ({ createdAt }) => <TimeAgo at={createdAt} />,
    },
    {
      id: 'actions',
      nameless: true,
      header: text('column.actions'),
      width: '7rem',
      align: 'end',
      cell: ({ id }) => <Resend webhookId={webhookId} deliveryId={id} />,
    },
  ];
  return (
    <DataTable label={text('deliveries.label')} columns={columns} rows={deliveries} rowKey={({ id }) => id} />
  );
}

function Answer({ delivery }: { delivery: Delivery }) {
  const text = useText('webhooks');
  const words = useGatewayWords();
  const { responseStatus, lastError, lastErrorSentences, attempts } = delivery;
  const fault = lastError === null ? '' : words.said({ message: lastError, sentences: lastErrorSentences });
  return (
    <span title={fault || undefined}>
      {[text('deliveries.tries', { count: attempts }), responseStatus, fault].filter(Boolean).join(' · ')}
    </span>
  );
}

function Resend({ webhookId, deliveryId }: { webhookId: string; deliveryId: string }) {
  const text = useText('webhooks');
  const { act } = useAct();
  const hint = useCommandHint(`switchyard webhooks redeliver ${webhookId} ${deliveryId}`);
  const resend = () =>
    act(() => gateway.call(redeliver, { params: { webhookId, deliveryId } }), {
      done: text('deliveries.resent'),
      refresh: [webhooksKey],
    });
  return (
    <Button {...hint} size="s" variant="plain" onClick={() => void resend()}>
      {text('deliveries.resend')}
    </Button>
  );
}
