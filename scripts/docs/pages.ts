import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { configurationReference } from './configuration.ts';
import { errorsReference } from './errors.ts';
import { routesReference } from './routes.ts';

/** Every generated page below docs/reference, by its file name. */
export async function referencePages(): Promise<Record<string, string>> {
  const gateway = await startGateway({ config: { doors: { comfyui: { port: 0 } } } });
  try {
    return {
      'configuration.md': configurationReference(),
      'errors.md': errorsReference(),
      'openapi.json': await openApi(gateway),
      'routes.md': await routesReference(gateway.context),
    };
  } finally {
    await gateway.stop();
  }
}

/** The description that the running gateway serves, so that it covers the routes that are really registered. */
async function openApi(gateway: DevGateway): Promise<string> {
  const document = (await (await gateway.fetch('/openapi.json')).json()) as { info: { version: string } };
  document.info.version = 'current';
  return `${JSON.stringify(document, null, 1)}\n`;
}
