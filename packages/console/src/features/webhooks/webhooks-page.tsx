import { type Delivery, redeliver, updateWebhook, type Webhook } from '@switchyard/contract/dispatch/webhook';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useParams } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { PageButton } from '../../kit/forms/page-button.tsx';
import { SecretDialog } from '../../kit/forms/secret-dialog.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { MoreRows } from '../../kit/rows/more-rows.tsx';
import { RowLink } from '../../kit/rows/row-link.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { type StatusKind, StatusWord } from '../../kit/status-word.tsx';
import { Switch } from '../../kit/switch.tsx';
import type { Column } from '../../kit/table/column.ts';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookMenu } from './webhook-menu.tsx';
import { deliveriesQuery, webhooksKey, webhooksQuery } from './webhooks-query.ts';

const deliveryKinds: Record<Delivery['status'], StatusKind> = {
  waiting: 'waiting',
  delivered: 'done',
  failed: 'failed',
};

const command = 'switchyard webhooks add https://example.org/switchyard --event task.failed';

export function WebhooksPage() {
  const text = useText('webhooks');
  const { webhookId } = useParams<{ webhookId?: string }>();
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const webhooks = useQuery(webhooksQuery);
  const chosen = webhooks.data?.find(({ id }) => id === webhookId);
  return (
    <Page
      title={text('title')}
      lead={text('lead')}
      actions={
        <PageButton
          id="add-webhook"
          label={text('add')}
          icon={Plus}
          command={command}
          onClick={() => setAdding(true)}
        />
      }
    >
      <QueryView
        query={webhooks}
        isEmpty={(list) => list.length === 0}
        first={
          <EmptyState title={text('first.title')} command={command}>
            {text('first.cause')}
          </EmptyState>
        }
      >
        {(list) => <WebhookTable webhooks={list} current={webhookId} />}
      </QueryView>
      {chosen && <Deliveries webhook={chosen} />}
      <WebhookForm open={isAdding} onClose={() => setAdding(false)} onSecret={setSecret} />
      <SecretDialog
        secret={secret}
        title={text('secret.title')}
        lead={text('secret.lead')}
        onClose={() => setSecret(null)}
      />
    </Page>
  );
}

function WebhookTable({ webhooks, current }: { webhooks: readonly Webhook[]; current: string | undefined }) {
  const text = useText('webhooks');
  const columns: Column<Webhook>[] = [
    {
      id: 'url',
      header: text('column.url'),
      cell: ({ id, url }) => (
        <RowLink
          href={`/webhooks/${id}`}
          command={`switchyard webhooks deliveries ${id}`}
          className="truncate text-accent underline"
          title={url}
        >
          {url}
        </RowLink>
      ),
    },
    {
      id: 'events',
      header: text('column.events'),
      width: '14rem',
      cell: ({ events }) => <span className="font-mono text-meta">{events.join(' ')}</span>,
    },
    {
      id: 'failures',
      header: text('column.failures'),
      width: '9rem',
      align: 'end',
      cell: ({ failures }) => <span className={failures > 0 ? 'text-failed' : ''}>{failures}</span>,
    },
    {
      id: 'enabled',
      header: text('column.enabled'),
      width: '7rem',
      cell: (webhook) => <WebhookSwitch webhook={webhook} />,
    },
    {
      id: 'actions',
      nameless: true,
      header: text('column.actions'),
      width: '6rem',
      align: 'end',
      cell: (webhook) => <WebhookMenu webhook={webhook} />,
    },
  ];
  return (
    <DataTable
      label={text('title')}
      columns={columns}
      rows={webhooks}
      rowKey={({ id }) => id}
      current={current}
      rowHeight={40}
    />
  );
}

/** Turns a webhook on or off. The gateway turns it off by itself after many failures. */
function WebhookSwitch({ webhook: { id, url, enabled } }: { webhook: Webhook }) {
  const text = useText('webhooks');
  const { act } = useAct();
  const hint = useCommandHint(
    enabled ? `switchyard webhooks disable ${id}` : `switchyard webhooks enable ${id}`,
  );
  const turn = (on: boolean) =>
    void act(() => gateway.call(updateWebhook, { params: { webhookId: id }, body: { enabled: on } }), {
      refresh: [webhooksKey],
    });
  return (
    <span {...hint}>
      <Switch hideLabel label={text('enabledOf', { url })} checked={enabled} onChange={turn} />
    </span>
  );
}

/** The deliveries to a webhook, with the answers of the receiver. */
function Deliveries({ webhook }: { webhook: Webhook }) {
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
        <StatusWord kind={deliveryKinds[status]}>{text(`deliveries.state.${status}`)}</StatusWord>
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
