import { createServer } from 'node:net';
import type { Config } from '../../config/schema.ts';
import { ListenError, listenOnFreePort } from '../../http/shell/listen.ts';
import { isProcessAlive } from '../../lib/is-process-alive.ts';
import { type GatewayFile, readGatewayFile } from '../gateway-file.ts';
import { type Finding, messageOf, well, wrong } from './finding.ts';

const answerMs = 5_000;
const maxProblems = 10;

/** Returns the gateway that runs in the data home; null when none does. A process that was killed leaves its file behind. */
export function runningGateway({ data_home: home }: Config): GatewayFile | null {
  const gateway = readGatewayFile(home);
  return gateway && isProcessAlive(gateway.pid) ? gateway : null;
}

/** Asks the gateway that runs, or looks whether a gateway could listen. */
export async function checkListener(
  { server }: Config,
  { running, lastPort }: { running: GatewayFile | null; lastPort: number },
): Promise<Finding[]> {
  return [running ? await answerFinding(running) : await portFinding(server, lastPort)];
}

async function answerFinding({ url, pid }: GatewayFile): Promise<Finding> {
  let answer: { status: number; body: unknown };
  try {
    const response = await fetch(`${url}/readyz`, {
      signal: AbortSignal.timeout(answerMs),
      redirect: 'error',
    });
    answer = { status: response.status, body: await response.json() };
  } catch (error) {
    const why = messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
    const says = `A gateway runs as process ${pid}, and it does not answer on ${url}: ${why}`;
    return wrong('listener', says, `kill ${pid}   # then switchyard up`);
  }
  if (answer.status === 200) return well('listener', `The gateway answers on ${url} (process ${pid}).`);
  const says = `The gateway on ${url} is not ready${failedOf(answer.body)}.`;
  return wrong('listener', says, `curl ${url}/readyz   # and read its log`);
}

function failedOf(body: unknown): string {
  const { draining, dependencies } = body as {
    draining?: unknown;
    dependencies?: { name: string; ok: boolean }[];
  };
  if (draining === true) return ': it is stopping';
  const failed = (dependencies ?? []).filter(({ ok }) => !ok).slice(0, maxProblems);
  return failed.length === 0 ? '' : `: ${failed.map(({ name }) => name).join(' and ')} failed`;
}

/** Listens for a moment, because only that shows whether a gateway may. */
async function portFinding({ host, port }: Config['server'], lastPort: number): Promise<Finding> {
  const server = createServer();
  const listener = {
    listen: (where: { host: string; port: number }) =>
      new Promise<string>((resolve, reject) => {
        server.once('error', reject);
        server.listen(where, () => {
          server.off('error', reject);
          resolve(`http://localhost:${(server.address() as { port: number }).port}`);
        });
      }),
  };
  try {
    const free = await listenOnFreePort(listener, { host, port, lastPort });
    server.close();
    return well(
      'listener',
      `No gateway runs in this data home, and port ${port === 0 ? 0 : free} on ${host} can be used.`,
    );
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    const isPort = !/--host/.test(error.message);
    return wrong(
      'listener',
      messageOf(error),
      isPort ? 'switchyard up --port 0' : 'switchyard up --host 127.0.0.1',
    );
  }
}
