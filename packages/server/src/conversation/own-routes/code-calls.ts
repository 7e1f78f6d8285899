import { mounts } from '@switchyard/contract/conversation/mounts';
import type { CallTickets, TicketHolder } from '../../accounts/secrets/call-tickets.ts';
import type { CodeCaller, SendForCaller } from '../../agents/own-code/own-code.ts';
import { holdsOwnToken } from '../../http/access/bearer.ts';
import type { CustomUser } from '../../http/access/identity.ts';

/** Sends what own code asks over HTTP, so that every limit and rule holds for it as for any other client. */
export function codeCalls({
  gatewayUrl,
  tickets,
}: {
  /** The address that the gateway listens on. */
  gatewayUrl: () => string;
  tickets: Pick<CallTickets, 'make'>;
}): SendForCaller {
  return (caller, path, request) => {
    const headers = new Headers(request.headers);
    const apiKey = headers.get('x-api-key');
    // The SDK takes it from LANGSMITH_API_KEY and its like. That one belongs to LangSmith.
    if (apiKey !== null && !holdsOwnToken(apiKey)) headers.delete('x-api-key');
    // A credential that the code itself sends counts alone.
    if (!headers.has('authorization') && !headers.has('x-api-key'))
      headers.set('authorization', `Bearer ${tickets.make(holderOf(caller))}`);
    return fetch(gatewayUrl() + mounts[1] + path, { ...request, headers });
  };
}

function holderOf({ userId, authUser, mayWrite }: CodeCaller): TicketHolder {
  return {
    userId,
    // Stored with a run as it was read by our own code.
    custom: authUser as CustomUser | null,
    scopes: mayWrite ? ['conversation:read', 'conversation:write'] : ['conversation:read'],
  };
}
