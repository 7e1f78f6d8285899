import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { causesOf, WordedError } from '../../lib/app-error.ts';
import { connectionFaultOf } from './connection-fault.ts';

/**
 * Returns what is wrong with a proxy, from the status with which it refused a tunnel or from the error of a call; null when the error is
 * not about the proxy. The sentence never has the credentials of the proxy.
 */
export function proxyFaultOf(found: unknown, address: string): WordedError | null {
  const { host: proxy } = new URL(address);
  const causes = causesOf<{ code?: unknown }>(found);
  const own = causes.find((cause) => cause instanceof WordedError);
  if (own) return own as WordedError;
  const status = typeof found === 'number' ? found : causes.some(isLoginRefused) ? 407 : null;
  if (status !== null) {
    const words = status === 407 ? say('proxy_login', { proxy }) : say('proxy_refuses', { proxy, status });
    return new ProxyRefusal(words, status);
  }
  const code = causes.map(({ code: given }) => String(given ?? '')).find(isOfConnecting);
  return code === undefined
    ? null
    : new WordedError(say('proxy_unreachable', { proxy, code }), { cause: found });
}

/** Callers judge by the status, as by that of any answer, whether another attempt may help. */
class ProxyRefusal extends WordedError {
  readonly status: number;

  constructor(words: Wording, status: number) {
    super(words);
    this.name = 'ProxyRefusal';
    this.status = status;
  }
}

/** Undici has no other mark for a proxy that wants a login, when it speaks to it without a tunnel. */
function isLoginRefused(error: object): boolean {
  return 'message' in error && String(error.message).includes('Proxy Authentication Required (407)');
}

/** Connecting means connecting to the proxy here. Later faults, and those of TLS, may be of the server behind it. */
function isOfConnecting(code: string): boolean {
  const fault = connectionFaultOf(code);
  if (fault === 'refused' || fault === 'unknown' || fault === 'unreachable') return true;
  return code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT';
}
