import { initialize } from '@switchyard/contract/accounts/session';
import { listInstances } from '@switchyard/contract/dispatch/instance';
import { replaceSettings } from '@switchyard/contract/dispatch/settings';
import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { submitTask } from '@switchyard/contract/dispatch/tasks';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { WebSocket } from 'ws';
import { type Client, createClient } from '../../src/client.ts';
import { CookieJar } from '../../src/cookie-jar.ts';

type Worker = Awaited<ReturnType<typeof startReferenceWorker>>;
type GatewayOptions = Parameters<typeof startGateway>[0];

/** A gateway, a worker and an administrator. */
export class Site {
  readonly adminLogin = { username: 'admin@example.com', password: 'correct horse battery' };
  readonly workflow = {
    '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 255 } },
    '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
    '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'client' } },
  };
  gateway: DevGateway;
  readonly #worker: Worker;

  private constructor(gateway: DevGateway, worker: Worker) {
    this.gateway = gateway;
    this.#worker = worker;
  }

  static async start(options: GatewayOptions = {}): Promise<Site> {
    const [gateway, worker] = await Promise.all([startGateway(options), startReferenceWorker()]);
    const site = new Site(gateway, worker);
    const { username: email, password } = site.adminLogin;
    await createClient({ baseUrl: site.url }).call(initialize, { body: { email, password } });
    await site.#useWorker();
    return site;
  }

  get url(): string {
    return this.gateway.url;
  }

  async admin(): Promise<Client> {
    const client = createClient({ baseUrl: this.url, WebSocket });
    await client.session.loginForToken(this.adminLogin);
    return client;
  }

  async withCookies(): Promise<Client> {
    const client = createClient({ baseUrl: this.url, WebSocket, cookies: new CookieJar() });
    await client.session.loginWithCookies(this.adminLogin);
    return client;
  }

  /** A task that waits for an instance which does not exist. */
  blockedTask(client: Client): Promise<TaskDetail> {
    return client.call(submitTask, { body: { workflow: this.workflow, pool: 'nowhere' } });
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.#worker.close();
  }

  async #useWorker(): Promise<void> {
    const admin = await this.admin();
    const instances = [{ ip: '127.0.0.1', port: this.#worker.port }];
    await admin.call(replaceSettings, {
      body: {
        servers: [{ id: 'test', name: 'Test', kind: 'comfyui', instances }],
        healthCheck: { interval: 1 },
      },
    });
    while (!(await admin.call(listInstances)).every(({ state }) => state === 'idle')) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
