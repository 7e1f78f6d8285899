import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import type { Page } from 'playwright-core';
import { build, type Plugin } from 'vite';
import { compileMessages } from '../../../scripts/console/compiled-messages.ts';
import { pseudoTexts, type Texts } from './pseudo-text.ts';

const root = fileURLToPath(new URL('../../../packages/console', import.meta.url));

const types: Record<string, string> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The console in a language that no one speaks. Pages take its files in place of the gateway's. */
export interface PseudoConsole {
  serve: (page: Page) => Promise<void>;
  remove: () => void;
}

export async function buildPseudoConsole(): Promise<PseudoConsole> {
  const folder = temporaryFolder();
  await build({
    root,
    logLevel: 'error',
    build: { outDir: folder.path, emptyOutDir: true, minify: false },
    plugins: [pseudoMessages()],
  });
  const file = (name: string) => readFileSync(join(folder.path, name));
  return {
    serve: async (page) => {
      await page.route('**/*', (route) => {
        const { pathname } = new URL(route.request().url());
        if (route.request().resourceType() === 'document')
          return route.fulfill({ body: file('index.html'), contentType: 'text/html' });
        if (
          !/^\/(assets\/[\w.-]+|[\w-]+\.(svg|js))$/.test(pathname) ||
          !existsSync(join(folder.path, pathname))
        )
          return route.continue();
        return route.fulfill({ body: file(pathname), contentType: types[extname(pathname)] ?? 'text/plain' });
      });
    },
    remove: () => folder.remove(),
  };
}

/** Reads the English messages before the plugin of the console does, and compiles them as it does. */
function pseudoMessages(): Plugin {
  return {
    name: 'pseudo-messages',
    enforce: 'pre',
    load: {
      order: 'pre',
      handler(id) {
        if (!id.endsWith('/messages/en.json')) return null;
        const texts = JSON.parse(readFileSync(id, 'utf8')) as Texts;
        return JSON.stringify(compileMessages(pseudoTexts(texts), id));
      },
    },
  };
}
