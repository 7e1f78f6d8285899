import type { OwnWebApp } from '../../../agents/loading/own-web-app.ts';
import type { OwnCode } from '../../../agents/own-code/own-code.ts';
import { deadline } from '../../../lib/async/deadline.ts';
import { secondMs } from '../../../lib/time-units.ts';
import { answerInTime } from '../../own-routes/answer-in-time.ts';
import { userHeader } from '../../own-routes/web-request.ts';
import type { WebhookCaller } from './run-webhooks.ts';

/** As long as any other receiver has. */
const deadlineMs = 15 * secondMs;

/**
 * A webhook that is a path, such as `/done`, is a route of the operator's app. It is called in this process for the user of the
 * run. Any other address goes to the caller.
 */
export function withOwnApp(
  caller: WebhookCaller,
  { webApp, ownCode }: { webApp: Pick<OwnWebApp, 'value'>; ownCode: Pick<OwnCode, 'during'> },
): WebhookCaller {
  return {
    whyDenied: (url) => (isPath(url) ? null : caller.whyDenied(url)),
    post: async (url, call) => {
      if (!isPath(url)) return caller.post(url, call);
      const { userId } = call;
      const authUser = await call.authUser();
      const { signal, release } = deadline(deadlineMs, call.signal);
      try {
        const handler = await webApp.value();
        const request = new Request(`http://localhost${url}`, {
          method: 'POST',
          headers: {
            ...call.headers,
            'content-type': 'application/json',
            ...(userId !== null && { [userHeader]: userId }),
          },
          body: call.body,
          signal,
        });
        const ask = async (): Promise<{ status: number }> => {
          const { status, body } = await answerInTime(handler(request), signal);
          await body?.cancel();
          return { status };
        };
        return userId === null
          ? await ask()
          : await ownCode.during({ userId, authUser, mayWrite: true }, ask);
      } catch (error) {
        return { error: error instanceof Error ? error.message : String(error) };
      } finally {
        release();
      }
    },
  };
}

/** Two slashes begin the name of a host. */
function isPath(url: string): boolean {
  return /^\/(?![/\\])/.test(url);
}
