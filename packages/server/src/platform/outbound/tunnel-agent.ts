import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import type { HostPolicy } from './host-rules.ts';
import { refuseDenied } from './outbound.ts';
import { proxyFaultOf } from './proxy-fault.ts';

/** The time in which the proxy has to answer. */
const tunnelMs = 10_000;

interface Target {
  host: string;
  port: number;
  policy: HostPolicy;
}

type Connected = (error: Error | null, stream: Duplex) => void;

/**
 * Returns an agent for one server whose connections go through a proxy, all of them by `CONNECT`: a socket of events can be reached in no other way.
 * Undici's agents serve neither `node:http` nor `ws`.
 */
export function tunnelAgent(
  proxy: string,
  target: Target,
  { isSecure, ...options }: http.AgentOptions & { isSecure: boolean },
): http.Agent {
  class PlainTunnels extends http.Agent {
    override createConnection(_options: http.ClientRequestArgs, done?: Connected): undefined {
      openTunnel(proxy, target).then((socket) => done?.(null, socket), failing(done));
    }
  }
  class SecureTunnels extends https.Agent {
    override createConnection(given: https.RequestOptions, done?: Connected): undefined {
      openTunnel(proxy, target).then((socket) => {
        const { rejectUnauthorized, ca } = given;
        const name = isIP(target.host) === 0 ? { servername: target.host } : {};
        const secure = tls.connect({ socket, host: target.host, ...name, rejectUnauthorized, ca });
        // The request waits for `secureConnect` by itself, and hears of errors.
        done?.(null, secure);
      }, failing(done));
    }
  }
  return isSecure ? new SecureTunnels(options) : new PlainTunnels(options);
}

/** Node's types want a stream even where there is an error. */
function failing(done: Connected | undefined): (error: Error) => void {
  return (error) => (done as ((error: Error) => void) | undefined)?.(error);
}

async function openTunnel(proxy: string, { host, port, policy }: Target): Promise<Duplex> {
  await refuseDenied(host, policy);
  const { protocol, hostname, port: proxyPort, username, password } = new URL(proxy);
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return new Promise((resolve, reject) => {
    const request = (protocol === 'https:' ? https : http).request({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: proxyPort || (protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        ...(username !== '' && {
          'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}`,
        }),
      },
      agent: false,
      signal: AbortSignal.timeout(tunnelMs),
    });
    const refuse = (status: number): void => reject(proxyFaultOf(status, proxy));
    request.on('connect', ({ statusCode = 0 }, socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      refuse(statusCode);
    });
    request.on('response', (response) => {
      response.destroy();
      refuse(response.statusCode ?? 0);
    });
    request.on('error', (error) => reject(proxyFaultOf(error, proxy) ?? error));
    request.end();
  });
}
