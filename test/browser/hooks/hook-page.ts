import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Locator, Page } from 'playwright-core';
import { svelte } from './svelte-compiler.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/** The settings of a gateway that serves the graph of the page. */
export const withTalkingGraph = { version: 1, agents: [`talk=${join(here, 'talking-graph.ts')}:graph`] };

/** Returns the page as one script, as its author would bundle it. */
export async function bundled(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(here, file)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    jsx: 'automatic',
    plugins: [svelte],
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** Serves the script under the gateway's own origin, so that its cookies count. */
export async function serve(page: Page, script: string): Promise<void> {
  await page.route('**/hook-page*', (route) =>
    route.fulfill({
      contentType: 'text/html; charset=utf-8',
      body: `<!doctype html><title>Chat</title><body><script type="module">${script.replaceAll('</script', '<\\/script')}</script>`,
    }),
  );
}

/** What a person sees and does in one conversation of the page. */
export class HookChat {
  readonly #section: Locator;

  constructor(page: Page, name = 'chat') {
    this.#section = page.getByRole('region', { name });
  }

  async lines(): Promise<string[]> {
    return this.#section.locator('.line').allTextContents();
  }

  async state(): Promise<string> {
    return (await this.#section.locator('output').textContent()) ?? '';
  }

  async faults(): Promise<string[]> {
    return this.#section.getByRole('alert').allTextContents();
  }

  async type(text: string): Promise<void> {
    await this.#section.getByLabel('Message').fill(text);
  }

  async press(name: string): Promise<void> {
    await this.#section.getByRole('button', { name, exact: true }).first().click();
  }

  async say(text: string, button = 'Send'): Promise<void> {
    await this.type(text);
    await this.press(button);
  }

  questions(): Locator {
    return this.#section.getByRole('dialog', { name: 'Question' });
  }
}
