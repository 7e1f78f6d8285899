import { isIP } from 'node:net';
import { parseWorkerAddress } from '@switchyard/contract/dispatch/worker-address';
import { isManagerPath } from '../lib/manager-path.ts';

/**
 * Formats of texts. Each function returns the text in its normal form, or throws a RangeError that says how to write
 * it.
 */
const formats = {
  host(text: string): string {
    if (isIP(text) || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252})$/.test(text)) return text;
    throw new RangeError('must be an IP address or a host name, without scheme or port');
  },

  origin(text: string): string {
    if (text === '*')
      throw new RangeError('must name each origin; "*" would let every page act for the user');
    const url = URL.canParse(text) ? new URL(text) : null;
    const isOrigin =
      url && /^https?:$/.test(url.protocol) && url.origin === text.replace(/\/$/, '').toLowerCase();
    if (!isOrigin)
      throw new RangeError('must be scheme, host and port only, such as https://gate.example.com');
    return url.origin;
  },

  own_origin(text: string): string {
    if (URL.canParse(text) && new URL(text).pathname !== '/')
      throw new RangeError(
        'must have no path: the gateway wants a host name of its own, such as https://gate.example.com, and cannot be served below a path',
      );
    return formats.origin(text);
  },

  worker(text: string): string {
    if (parseWorkerAddress(text)) return text;
    throw new RangeError(
      'must be host:port, such as 192.168.1.20:8188, or https://user:password@host/path as in a browser',
    );
  },

  worker_route(text: string): string {
    const parts = text.replace(/^\/|\/$/g, '').split('/');
    if (!text.startsWith('/') || !parts.every((part) => /^[\w~-][\w.~-]{0,99}$/.test(part)))
      throw new RangeError('must be a path of a worker without wildcards, such as /pysssss/');
    if (isManagerPath(parts)) throw new RangeError('must not lead to ComfyUI-Manager, which installs code');
    return `/${parts.join('/')}`;
  },

  agent(text: string): string {
    if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}=[^=\s][^=]{0,1023}$/.test(text)) return text;
    throw new RangeError('must be name=file:export, such as research=./src/research.ts:graph');
  },

  command(text: string): string {
    if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)) return text;
    throw new RangeError('must be the bare name of a program, such as npx, without path or arguments');
  },

  cidr(text: string): string {
    const [address = '', prefix, ...rest] = text.split('/');
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
    if (bits > 0 && isPrefix && rest.length === 0) return text;
    throw new RangeError('must be an IP address or a range such as 10.0.0.0/8');
  },

  email(text: string): string {
    if (text.length <= 320 && /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text)) return text.toLowerCase();
    throw new RangeError('must be an e-mail address');
  },

  currency(text: string): string {
    if (/^[A-Z]{3}$/.test(text)) return text;
    throw new RangeError('must be a currency of three capital letters, such as EUR');
  },

  postgres_url(text: string): string {
    if (/^postgres(ql)?:\/\//.test(text)) return text;
    throw new RangeError('must begin with postgres:// or postgresql://');
  },

  redis_url(text: string): string {
    if (text.startsWith('/') && text.length > 1) return text;
    const url = URL.canParse(text) ? new URL(text) : null;
    const isServer = /^rediss?:$/.test(url?.protocol ?? '') && url?.hostname !== '';
    if (isServer && /^(\/\d{0,4})?$/.test(url?.pathname ?? '')) return text;
    if (url?.protocol === 'unix:' && url.pathname.length > 1) return text;
    throw new RangeError(
      'must be redis://user:password@host:port/database, rediss:// for TLS, or the path of a unix socket',
    );
  },

  http_url(text: string): string {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return text;
    throw new RangeError('must be an http: or https: address without user and password');
  },

  headers(text: string): string {
    if (text.split(',').every((header) => /^\s*[A-Za-z0-9-]+=[^\s,=]*={0,2}\s*$/.test(header))) return text;
    throw new RangeError('must be name=value, with commas between several');
  },

  proxy_url(text: string): string {
    // Many programs take the address without its scheme as well.
    const full = text.includes('://') ? text : `http://${text}`;
    const url = URL.canParse(full) ? new URL(full) : null;
    const isProxy = /^https?:$/.test(url?.protocol ?? '') && url?.pathname === '/' && url.search === '';
    if (isProxy) return full;
    throw new RangeError('must be http://user:password@host:port or https:// for TLS to the proxy');
  },

  environment_name(text: string): string {
    if (/^[\p{L}\p{N}][\p{L}\p{M}\p{N} _.-]{0,19}$/u.test(text)) return text.trimEnd();
    throw new RangeError('must be up to 20 letters, digits, spaces and _ . -, such as staging');
  },

  s3_name(text: string): string {
    if (/^[a-z0-9][a-z0-9-]{0,62}$/.test(text)) return text;
    throw new RangeError('must be small letters, digits and -, such as eu-central-1');
  },

  s3_bucket(text: string): string {
    if (/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text)) return text;
    throw new RangeError('must be the bare name of a bucket, such as switchyard-files');
  },

  s3_prefix(text: string): string {
    const parts = text.replace(/\/$/, '').split('/');
    const isPrefix = text.length <= 200 && parts.every((part) => /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(part));
    if (isPrefix) return `${parts.join('/')}/`;
    throw new RangeError('must be letters, digits and _ . - between slashes, such as switchyard/');
  },

  key_prefix(text: string): string {
    if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(text)) return text;
    throw new RangeError('must be up to 64 letters, digits and _ . -, such as switchyard');
  },
};

export type FormatName = keyof typeof formats;

export function checkFormat(name: FormatName, text: string): string {
  return formats[name](text);
}

/** An address without the user and the password in it, for texts that people see. */
export function withoutCredentials(text: string): string {
  return text.replace(/(:\/\/)[^/@]*@/, '$1***@');
}
