import type { DevGateway } from '@switchyard/dev-env/gateway';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { ConversationCaller } from './conversation-caller.ts';

/** Returns the administrator that the first visitor of a gateway becomes. */
export async function firstAdmin(gateway: DevGateway): Promise<ConversationCaller> {
  const account = { email: 'root@example.com', password: 'correct horse battery' };
  const answer = await gateway.fetch('/api/v1/auth/initialize', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  });
  if (!answer.ok) throw new Error(`No first administrator: ${answer.status} ${await answer.text()}`);
  const session = await HttpSession.login(gateway.url, account);
  return ConversationCaller.of(gateway.url, session, ['admin']);
}
