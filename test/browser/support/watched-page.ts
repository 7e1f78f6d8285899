import type { Page } from 'playwright-core';

/** Answers that a page asks for on purpose, to find out what is there. */
interface Allowed {
  statuses?: readonly number[];
}

/**
 * What must not happen on any page: an error that no one caught, a request to another origin, something that the policy of
 * the page refuses, an error in the browser's console.
 */
export class WatchedPage {
  readonly faults: string[] = [];
  readonly page: Page;
  /** The statuses that the test expects, for example while the gateway is gone. */
  readonly #allowed: Set<number>;
  #isAway = false;

  private constructor(page: Page, allowed: Allowed) {
    this.page = page;
    this.#allowed = new Set(allowed.statuses ?? []);
  }

  static async watch(page: Page, allowed: Allowed = {}): Promise<WatchedPage> {
    const watched = new WatchedPage(page, allowed);
    const { faults } = watched;
    await page.exposeFunction('reportViolation', (text: string) => faults.push(`policy: ${text}`));
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        const report = (globalThis as unknown as { reportViolation: (text: string) => void }).reportViolation;
        report(`${event.violatedDirective} refused ${event.blockedURI} ${event.sample}`);
      });
    });
    // A broken stream or an aborted request is an error without a stack.
    page.on('pageerror', (error) =>
      faults.push(`error: ${error.stack || `${error.name}: ${error.message}`}`),
    );
    page.on('console', (message) => {
      if (message.type() !== 'error' || watched.#isAway) return;
      const refused = /status of (\d{3})/.exec(message.text());
      if (refused && watched.#allowed.has(Number(refused[1]))) return;
      // Over plain HTTP the browser reports for each page that it leaves this protection out.
      if (message.text().startsWith('The Cross-Origin-Opener-Policy header has been ignored')) return;
      faults.push(`console: ${message.text()} ${message.location().url}`);
    });
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol === 'data:' || protocol === 'blob:' || page.url() === 'about:blank') return;
      if (origin !== new URL(page.url()).origin) faults.push(`foreign request: ${request.url()}`);
    });
    return watched;
  }

  /** While the gateway is away, failed requests are what has to happen. */
  async whileAway(act: () => Promise<void>): Promise<void> {
    this.#isAway = true;
    await act();
    this.#isAway = false;
  }
}
