import { CommandError } from './exit-codes.ts';

export interface WorkerAddress {
  ip: string;
  port: number;
  tls: boolean;
}

/** Of ComfyUI. */
const usualPort = 8188;

/** `host`, `host:port`, `[::1]:8188` or an http address as it stands in the browser. */
export function parseWorkerAddress(text: string): WorkerAddress {
  const withScheme = /^[a-z]+:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  const isPlain =
    url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.username;
  if (!isPlain || url.hostname === '') {
    throw new CommandError(
      'usage',
      `"${text}" is not the address of a worker. Write host:port, for example 192.168.1.20:8188.`,
    );
  }
  const tls = url.protocol === 'https:';
  const namesPort = /:\d+\/?$/.test(withScheme);
  const port = url.port !== '' ? Number(url.port) : namesPort ? (tls ? 443 : 80) : usualPort;
  return { ip: url.hostname.replace(/^\[|\]$/g, ''), port, tls };
}
