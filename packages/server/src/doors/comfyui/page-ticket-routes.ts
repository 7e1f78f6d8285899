import {
  comfyuiPageEntrance,
  comfyuiTemplateSource,
  getComfyuiPage,
  openComfyuiPage,
} from '@switchyard/contract/doors/comfyui-page';
import { ok } from '@switchyard/contract/envelope';
import type { Sessions } from '../../accounts/sessions.ts';
import type { SavedWorkflows } from '../../dispatch/workflows/saved-workflows.ts';
import { type Guard, identityOf, ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import { AppError } from '../../lib/app-error.ts';

interface PageTicketOptions {
  sessions: Pick<Sessions, 'ticketFor'>;
  savedWorkflows: Pick<SavedWorkflows, 'get'>;
  guard: Pick<Guard, 'originOf'>;
  /** The origin of the page for a browser that reached the gateway under this one; null when the page has none. */
  pageOrigin: (gateway: string | undefined) => string | null;
}

/** The addresses of the gateway's own interface by which the console opens the page. */
export function pageTicketRoutes({ sessions, savedWorkflows, guard, pageOrigin }: PageTicketOptions): Routes {
  return (app) => {
    app.route({
      ...getComfyuiPage,
      handler: async (request) => ok({ available: pageOrigin(guard.originOf(request)) !== null }),
    });

    app.route({
      ...openComfyuiPage,
      handler: async (request) => {
        const origin = pageOrigin(guard.originOf(request));
        if (origin === null) throw new AppError('comfyui_page_off');
        const { workflowId } = request.body;
        const workflow =
          workflowId === undefined ? null : await savedWorkflows.get(ownerOf(request), workflowId);
        const url = new URL(comfyuiPageEntrance, origin);
        url.searchParams.set('ticket', sessions.ticketFor(identityOf(request)));
        if (workflow) {
          url.searchParams.set('template', `${nameOf(workflow.name)}${workflow.id}`);
          url.searchParams.set('source', comfyuiTemplateSource);
        }
        return ok({ url: url.href });
      },
    });
  };
}

/** The page shows the name of a template and takes few characters in it. */
function nameOf(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_|_$/g, '');
  return plain === '' ? '' : `${plain.slice(0, 60)}.`;
}
