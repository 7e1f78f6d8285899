import { isRecord } from '@switchyard/contract/is-record';
import { wrongExport } from './load-export.ts';
import { OwnExport, type OwnExportPlace } from './own-export.ts';

export type WebHandler = (request: Request) => Promise<Response>;

/** The app that `http.app` of langgraph.json names. */
export type OwnWebApp = OwnExport<WebHandler>;

export function ownWebApp(named: OwnExportPlace): OwnWebApp {
  return new OwnExport(named, (app, place) => {
    const isObject = isRecord(app) || typeof app === 'function';
    const fetches = isObject ? (app as { fetch?: unknown }).fetch : undefined;
    if (typeof fetches !== 'function') {
      throw wrongExport(place, app, 'export an app with a method fetch(request), for example one of Hono');
    }
    return async (request) => (await fetches.call(app, request)) as Response;
  });
}
