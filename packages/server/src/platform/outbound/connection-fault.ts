/** A failure between here and another machine. */
export type ConnectionFault = 'refused' | 'unknown' | 'unreachable' | 'broke_off' | 'tls_failed';

/** Returns null for an error that is none of the connection. */
export function connectionFaultOf(code: string): ConnectionFault | null {
  return faultOfCode[code] ?? (tlsCodes.test(code) ? 'tls_failed' : null);
}

const faultOfCode: Partial<Record<string, ConnectionFault>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unknown',
  EAI_AGAIN: 'unknown',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ECONNRESET: 'broke_off',
  EPIPE: 'broke_off',
  UND_ERR_SOCKET: 'broke_off',
  EPROTO: 'tls_failed',
};

const tlsCodes = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/;
