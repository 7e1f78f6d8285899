import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchChromium } from '@switchyard/dev-env/chromium';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import type { Browser, BrowserContext } from 'playwright-core';
import { readCredentials } from '../../e2e/credentials-file.ts';
import { WatchedPage } from './watched-page.ts';

export interface Account {
  email: string;
  password: string;
}

/** How a visitor sees the console. */
export interface Look {
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  locale?: 'en' | 'zh-CN';
}

export interface Visit extends Look {
  /** Signed in before the page opens. */
  session?: HttpSession;
  /** Statuses of answers that are not faults on these pages. */
  statuses?: readonly number[];
  /** Another address of this machine than the one that the gateway names. */
  host?: string;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** As long as the tests themselves are patient; see vitest.config.ts. */
const patienceMs = 120_000;

export const adminPassword = 'a quiet darkroom 7';

/** The built gateway with its reference worker and its demo model, and a browser. */
export class Stage {
  readonly url: string;
  readonly #folder: ReturnType<typeof temporaryFolder>;
  readonly #browser: Browser;
  readonly #contexts: BrowserContext[] = [];
  #gateway: SpawnedGateway;

  private constructor(
    gateway: SpawnedGateway,
    parts: { folder: ReturnType<typeof temporaryFolder>; browser: Browser },
  ) {
    this.#gateway = gateway;
    this.url = gateway.url;
    this.#folder = parts.folder;
    this.#browser = parts.browser;
  }

  /** Begins with an empty data home, and with a file of settings and the files of a project where they are given. */
  static async open({ settings, project }: { settings?: object; project?: string } = {}): Promise<Stage> {
    const folder = temporaryFolder();
    try {
      if (project) {
        cpSync(project, folder.path, { recursive: true });
        symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'));
      }
      // JSON is YAML too.
      if (settings) writeFileSync(join(folder.path, 'switchyard.yaml'), JSON.stringify(settings));
      const gateway = await SpawnedGateway.start({ home: folder.path });
      const browser = await launchChromium();
      return new Stage(gateway, { folder, browser });
    } catch (error) {
      folder.remove();
      throw error;
    }
  }

  get home(): string {
    return this.#folder.path;
  }

  /** The account that the gateway has made at its first start, with the password from its file. */
  get firstAccount(): Account {
    return readCredentials(this.#folder.path);
  }

  /** Signs in as the first administrator with a password of their own, as they have to choose one. */
  async admin(): Promise<HttpSession> {
    const first = this.firstAccount;
    if (first.email === '')
      return HttpSession.login(this.url, { email: this.#adminEmail, password: adminPassword });
    this.#adminEmail = first.email;
    const session = await HttpSession.login(this.url, first);
    await session.post('/api/v1/auth/change-password', {
      current_password: first.password,
      new_password: adminPassword,
    });
    return HttpSession.login(this.url, { email: first.email, password: adminPassword });
  }
  #adminEmail = '';

  member(email: string): Promise<HttpSession> {
    return HttpSession.register(this.url, { email, password: adminPassword });
  }

  /** A page in a browser profile of its own. */
  async visit({ session, statuses, host, ...look }: Visit = {}): Promise<WatchedPage> {
    const { width = 1280, theme = 'light', locale = 'en' } = look;
    const { height = width < 600 ? 780 : 800 } = look;
    const url = host === undefined ? this.url : this.url.replace(new URL(this.url).hostname, host);
    const context = await this.#browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      locale,
      hasTouch: width < 600,
      baseURL: url,
      acceptDownloads: true,
    });
    context.setDefaultTimeout(patienceMs);
    this.#contexts.push(context);
    if (session) {
      const pairs = session.cookieHeader.split('; ').map((pair) => pair.split('=') as [string, string]);
      // As the gateway sets them.
      await context.addCookies(
        pairs.map(([name, value]) => ({ name, value, url, httpOnly: name === 'access_token' })),
      );
    }
    return WatchedPage.watch(await context.newPage(), { statuses: statuses ?? [] });
  }

  async kill9(): Promise<void> {
    await this.#gateway.kill9();
  }

  /** Starts the gateway again where the pages expect it. */
  async startAgain(): Promise<void> {
    const { port } = new URL(this.url);
    this.#gateway = await SpawnedGateway.start({ home: this.#folder.path, args: ['--port', port] });
  }

  async closePages(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#gateway.stop();
    this.#folder.remove();
  }
}
