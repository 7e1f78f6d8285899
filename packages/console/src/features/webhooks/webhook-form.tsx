import {
  createWebhook,
  updateWebhook,
  type Webhook,
  type WebhookEvent,
  webhookEvents,
} from '@switchyard/contract/dispatch/webhook';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Checkbox } from '../../kit/checkbox.tsx';
import { Field } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/forms/form-dialog.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { webhooksKey } from './webhooks-query.ts';

export function WebhookForm({
  webhook,
  open,
  onClose,
  onSecret,
}: {
  /** The webhook to change; without it a new one is made. */
  webhook?: Webhook;
  open: boolean;
  onClose: () => void;
  onSecret?: (secret: string) => void;
}) {
  const text = useText('webhooks');
  const queries = useQueryClient();
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState<readonly WebhookEvent[]>(webhook?.events ?? webhookEvents);
  const toggle = (event: WebhookEvent, on: boolean) =>
    setEvents(webhookEvents.filter((other) => (other === event ? on : events.includes(other))));
  const save = async () => {
    const body = { url: url.trim(), events: [...events] };
    if (webhook) {
      await gateway.call(updateWebhook, { params: { webhookId: webhook.id }, body });
    } else {
      const { secret } = await gateway.call(createWebhook, { body });
      onSecret?.(secret);
      setUrl('');
    }
    await queries.invalidateQueries({ queryKey: webhooksKey });
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={text(webhook ? 'edit.title' : 'add')}
      submit={text(webhook ? 'edit.submit' : 'submit')}
      onSubmit={save}
      disabled={url.trim() === '' || events.length === 0}
    >
      <Field label={text('column.url')} hint={text('urlHint')}>
        <TextInput
          type="url"
          required
          placeholder="https://example.org/switchyard"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
      </Field>
      <fieldset className="flex flex-col gap-1">
        <legend className="pb-1 text-table font-medium">{text('column.events')}</legend>
        {webhookEvents.map((event) => (
          <Checkbox
            key={event}
            label={text(`event.${event.replace('.', '-')}`)}
            checked={events.includes(event)}
            onChange={(on) => toggle(event, on)}
          />
        ))}
      </fieldset>
    </FormDialog>
  );
}
