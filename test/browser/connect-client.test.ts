import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults } from './support/axe.ts';
import { beyondWindow } from './support/beyond-window.ts';
import { type Look, Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const looks: readonly Look[] = [{ theme: 'light' }, { width: 390, theme: 'dark', locale: 'zh-CN' }];

/** A program with the sign-in of the official client. It waits for the browser at an address of its own. */
class Program implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly asked: URL[] = [];
  readonly #gateway: string;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = '';

  constructor(gateway: string, redirectUrl: string) {
    this.#gateway = gateway;
    this.redirectUrl = redirectUrl;
  }

  get clientMetadata() {
    return { client_name: 'Darkroom helper', redirect_uris: [this.redirectUrl] };
  }
  state = () => 'of this program & no other';
  clientInformation = () => this.#client;
  saveClientInformation = (client: StoredOAuthClientInformation) => {
    this.#client = client;
  };
  invalidateCredentials = () => {
    this.#tokens = undefined;
  };
  saveDiscoveryState = (state: OAuthDiscoveryState) => {
    this.#discovered = state;
  };
  discoveryState = () => this.#discovered;
  tokens = () => this.#tokens;
  saveTokens = (tokens: StoredOAuthTokens) => {
    this.#tokens = tokens;
  };
  redirectToAuthorization = (url: URL) => void this.asked.push(url);
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;

  transport(): StreamableHTTPClientTransport {
    return new StreamableHTTPClientTransport(new URL('/mcp', this.#gateway), { authProvider: this });
  }

  /** Tries to call without a sign-in; returns the address that its user has to open. */
  async begin(): Promise<string> {
    const client = new Client({ name: 'darkroom', version: '1' });
    await expect(client.connect(this.transport())).rejects.toThrow(UnauthorizedError);
    return this.asked.at(-1)?.href ?? '';
  }

  async tools(): Promise<string[]> {
    const client = new Client({ name: 'darkroom', version: '1' });
    await client.connect(this.transport());
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name);
  }
}

describe.runIf(canBrowse)('a client that signs in for its user', () => {
  let stage: Stage;
  let ada: HttpSession;
  let server: Server;
  let callback: string;
  const text = (locale: Look['locale'] = 'en') => wordsOf(locale)('tokens');

  beforeAll(async () => {
    stage = await Stage.open({ settings: { version: 1, doors: { mcp: { oauth: { enabled: true } } } } });
    ada = await stage.member('ada@example.com');
    server = createServer((_request, answer) => {
      answer.setHeader('content-type', 'text/html').end('<title>Back</title>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    callback = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  });
  afterAll(async () => {
    server?.close();
    await stage?.close();
  });

  async function answered(page: Page, address: string, button: 'allow' | 'refuse'): Promise<URLSearchParams> {
    await page.goto(address);
    await page.getByRole('button', { name: text()(`connect.${button}`) }).click();
    await page.waitForURL(`${callback}?**`);
    return new URL(page.url()).searchParams;
  }

  it('gets in after the user has allowed it, and is out once its access is revoked', async () => {
    const program = new Program(stage.url, callback);
    const address = await program.begin();
    for (const look of looks) {
      const { page, faults } = await stage.visit({ session: ada, ...look });
      await page.goto(address);
      const main = page.getByRole('main');
      const unproven = text(look.locale)('connect.unproven');
      for (const shown of ['Darkroom helper', 'ada@example.com', new URL(callback).host, unproven])
        await main.getByText(shown).waitFor();
      expect([await beyondWindow(page), await accessibilityFaults(page), faults]).toEqual([[], [], []]);
    }
    const asked = await stage.visit({ session: ada });
    const back = await answered(asked.page, address, 'allow');
    expect(back.get('state')).toBe(program.state());
    await program.transport().finishAuth(back);
    expect(await program.tools()).toContain('get_task');

    const words = wordsOf('en')('account');
    const { page, faults } = await stage.visit({ session: ada });
    await page.goto('/account');
    await page.getByRole('button', { name: words('clients.revokeOf', { name: 'Darkroom helper' }) }).click();
    await page.getByRole('button', { name: words('clients.confirm') }).click();
    await page.getByText(words('clients.none')).waitFor();
    expect([await accessibilityFaults(page), faults]).toEqual([[], []]);
    await expect(program.tools()).rejects.toThrow(UnauthorizedError);
    expect(program.asked).toHaveLength(2);
    await stage.closePages();
  });

  it('gets nothing when its user refuses, with the verifier of another sign-in, or for the administration', async () => {
    const { page } = await stage.visit({ session: ada });
    const program = new Program(stage.url, callback);
    const no = await answered(page, await program.begin(), 'refuse');
    expect([no.get('error'), no.get('code'), no.get('state')]).toEqual([
      'access_denied',
      null,
      program.state(),
    ]);

    const back = await answered(page, await program.begin(), 'allow');
    const other = new URLSearchParams(back);
    other.set('iss', 'https://other.example');
    await expect(program.transport().finishAuth(other)).rejects.toThrow(/issuer/i);
    program.saveCodeVerifier('w'.repeat(43));
    await expect(program.transport().finishAuth(back)).rejects.toThrow(/code or token is not valid/);

    const address = new URL(await program.begin());
    address.searchParams.set('scope', 'admin');
    await page.goto(address.href);
    await page.getByRole('alert').getByText('invalid_scope').waitFor();
    expect(await page.getByRole('button', { name: text()('connect.allow') }).count()).toBe(0);
    await page
      .getByRole('button', { name: text()('connect.back', { host: new URL(callback).host }) })
      .click();
    await page.waitForURL(`${callback}?error=invalid_scope&**`);
    await stage.closePages();
  });
});
