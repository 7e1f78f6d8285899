import { updateWebhook, type Webhook } from '@switchyard/contract/dispatch/webhook';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { Switch } from '../../kit/switch.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { webhooksKey } from './webhooks-query.ts';

/** Turns a webhook on or off. The gateway turns it off by itself after many failures. */
export function WebhookSwitch({ webhook: { id, url, enabled } }: { webhook: Webhook }) {
  const text = useText('webhooks');
  const act = useAct();
  const hint = useCommandHint(
    enabled ? `switchyard webhooks disable ${id}` : `switchyard webhooks enable ${id}`,
  );
  const turn = (on: boolean) =>
    void act(() => gateway.call(updateWebhook, { params: { webhookId: id }, body: { enabled: on } }), {
      refresh: webhooksKey,
    });
  return (
    <span {...hint}>
      <Switch hideLabel label={text('enabledOf', { url })} checked={enabled} onChange={turn} />
    </span>
  );
}
