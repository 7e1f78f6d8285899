import { CommandError } from './exit-codes.ts';

export interface WorkerAddress {
  ip: string;
  port: number;
  tls: boolean;
}

/** The port of ComfyUI, for an address that names only a host. */
const usualPort = 8188;

/** Reads `host`, `host:port`, `[::1]:8188`, or an http address as a browser shows it. */
export function parseWorkerAddress(text: string): WorkerAddress {
  const hasScheme = /^[a-z]+:\/\//i.test(text);
  const address = hasScheme ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isPlain =
    url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.username;
  if (!isPlain || url.hostname === '') {
    throw new CommandError(
      'usage',
      `"${text}" is not the address of a worker. Write host:port, for example 192.168.1.20:8188.`,
    );
  }
  const tls = url.protocol === 'https:';
  // A URL leaves out the default port of its scheme.
  const schemePort = tls ? 443 : 80;
  const unnamedPort = hasScheme || /:\d+$/.test(text) ? schemePort : usualPort;
  const port = url.port === '' ? unnamedPort : Number(url.port);
  return { ip: url.hostname.replace(/^\[|\]$/g, ''), port, tls };
}
