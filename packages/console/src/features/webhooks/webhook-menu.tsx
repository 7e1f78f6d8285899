import { deleteWebhook, testWebhook, type Webhook } from '@switchyard/contract/dispatch/webhook';
import { useState } from 'react';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { Menu } from '../../kit/menu.tsx';
import { useToast } from '../../kit/toast.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { WebhookForm } from './webhook-form.tsx';
import { webhooksKey } from './webhooks-query.ts';

/** The actions on a webhook. */
export function WebhookMenu({ webhook }: { webhook: Webhook }) {
  const text = useText('webhooks');
  const toast = useToast();
  const { act } = useAct();
  const words = useGatewayWords();
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const { id, url } = webhook;
  const params = { webhookId: id };
  const test = () =>
    act(
      async () => {
        const { delivered, responseStatus, latencyMs, ...answer } = await gateway.call(testWebhook, {
          params,
        });
        const { error, errorSentences: sentences } = answer;
        const fault = error === null ? '' : words.said({ message: error, sentences });
        const told = { status: responseStatus ?? 0, error: fault, ms: latencyMs };
        toast({
          text: delivered ? text('test.done', told) : text('test.failed', told),
          tone: delivered ? 'done' : 'failed',
        });
      },
      { refresh: [webhooksKey] },
    );
  const remove = async () => {
    setOpen(null);
    await act(() => gateway.call(deleteWebhook, { params }), {
      done: text('delete.done'),
      refresh: [webhooksKey],
    });
  };
  return (
    <>
      <Menu
        label={text('actionsOf', { url })}
        items={[
          { label: text('deliveries.open'), href: `/webhooks/${id}` },
          {
            label: text('test.open'),
            command: `switchyard webhooks test ${id}`,
            onSelect: () => void test(),
          },
          { label: text('edit.open'), onSelect: () => setOpen('edit') },
          {
            label: text('delete.open'),
            command: `switchyard webhooks delete ${id}`,
            danger: true,
            separated: true,
            onSelect: () => setOpen('delete'),
          },
        ]}
      />
      <WebhookForm webhook={webhook} open={open === 'edit'} onClose={() => setOpen(null)} />
      <ConfirmDialog
        open={open === 'delete'}
        onClose={() => setOpen(null)}
        title={text('delete.title')}
        confirm={text('delete.confirm')}
        onConfirm={() => void remove()}
      >
        <p className="break-all">{url}</p>
        <p>{text('delete.effect')}</p>
      </ConfirmDialog>
    </>
  );
}
