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
  { server, doors }: Config,
  { running, lastPort }: { running: GatewayFile | null; lastPort: number },
): Promise<Finding[]> {
  const findings = [running ? await answerFinding(running) : await portFinding(server, { lastPort })];
  const { port } = doors.comfyui;
  if (port === null) return findings;
  if (running) return [...findings, pageFinding(running)];
  const named = 'doors.comfyui.port';
  return [...findings, await portFinding({ ...server, port }, { lastPort: port, named })];
}

/** The gateway does not start without the listener of the page, so a gateway that runs has it. */
function pageFinding({ pageUrl }: GatewayFile): Finding {
  if (pageUrl !== undefined) return well('listener', `The page of ComfyUI has the address ${pageUrl}.`);
  return wrong(
    'listener',
    'The gateway that runs was started without doors.comfyui.port, so ComfyUI has no page there.',
    'switchyard up   # once the gateway that runs has stopped',
  );
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
async function portFinding(
  { host, port }: Config['server'],
  { lastPort, named }: { lastPort: number; named?: string },
): Promise<Finding> {
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
    const free = await listenOnFreePort(listener, { host, port, lastPort, ...(named && { named }) });
    server.close();
    const isFree = `port ${port === 0 ? 0 : free} on ${host} can be used`;
    return well(
      'listener',
      named ? `For the page of ComfyUI, ${isFree}.` : `No gateway runs in this data home, and ${isFree}.`,
    );
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    const isPort = !/--host/.test(error.message);
    if (named && isPort)
      return wrong(
        'listener',
        messageOf(error),
        'switchyard config show --effective --sources   # where the port is set',
      );
    return wrong(
      'listener',
      messageOf(error),
      isPort ? 'switchyard up --port 0' : 'switchyard up --host 127.0.0.1',
    );
  }
}
