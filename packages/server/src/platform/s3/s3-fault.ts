import type { IncomingHttpHeaders } from 'node:http';
import { connectionFaultOf } from '../outbound/connection-fault.ts';

/** A fault of the store, as one sentence for the operator. It names the setting or the place, and never a key. */
export class S3Fault extends Error {
  readonly kind: 'unreachable' | 'busy' | 'clock' | 'refused' | 'no_bucket' | 'rejected' | 'damaged' | 'full';

  constructor(kind: S3Fault['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'S3Fault';
    this.kind = kind;
  }

  /** True when the same call may succeed a moment later. */
  get isPassing(): boolean {
    return ['unreachable', 'busy', 'clock', 'damaged'].includes(this.kind);
  }

  /** True when only a change of the settings, or of the rights of the key, helps. */
  get isLasting(): boolean {
    return this.kind === 'refused' || this.kind === 'no_bucket';
  }
}

interface Place {
  endpoint: string;
  bucket: string;
}

interface FailedAnswer {
  status: number;
  /** The body of the answer, as XML. */
  text: string;
  headers: IncomingHttpHeaders;
}

export function faultOfAnswer({ status, text, headers }: FailedAnswer, place: Place): S3Fault {
  const { endpoint, bucket } = place;
  const code = /<Code>([^<]{1,100})<\/Code>/.exec(text)?.[1] ?? '';
  const said = `${status}${code === '' ? '' : ` ${code}`}`;
  if (code === 'RequestTimeTooSkewed') {
    const theirs = headers.date ?? 'another time';
    return new S3Fault(
      'clock',
      `The clock of this machine and that of S3 at ${endpoint} (${theirs}) differ.`,
    );
  }
  if (code === 'NoSuchBucket' || status === 404)
    return new S3Fault(
      'no_bucket',
      `S3 at ${endpoint} has no bucket ${bucket}; make it, or set files.s3.bucket.`,
    );
  if (fullCodes.has(code) || status === 507)
    return new S3Fault('full', `S3 at ${endpoint} has no room left in the bucket ${bucket} (${said}).`);
  if (isBusy(status, code)) return new S3Fault('busy', `S3 at ${endpoint} cannot answer now (${said}).`);
  if (status === 301 || status === 307 || code === 'AuthorizationHeaderMalformed')
    return new S3Fault(
      'refused',
      `S3 at ${endpoint} has the bucket ${bucket} elsewhere (${said}); set files.s3.region and files.s3.endpoint.`,
    );
  if (status === 401 || status === 403)
    return new S3Fault(
      'refused',
      `S3 at ${endpoint} refuses the key for the bucket ${bucket} (${said}); set files.s3.access_key_id and files.s3.secret_access_key, or give the key its rights.`,
    );
  if (damageCodes.has(code))
    return new S3Fault('damaged', `S3 at ${endpoint} has received other bytes than were sent (${said}).`);
  return new S3Fault('rejected', `S3 at ${endpoint} does not accept a call (${said}).`);
}

function isBusy(status: number, code: string): boolean {
  if (status === 429 || code === 'SlowDown' || code === 'RequestTimeout') return true;
  return status >= 500 && status !== 501;
}

const damageCodes = new Set(['XAmzContentSHA256Mismatch', 'BadDigest', 'InvalidPart', 'IncompleteBody']);

const fullCodes = new Set(['QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded']);

const words = {
  refused: 'takes no connections',
  unknown: 'cannot be found by its name',
  unreachable: 'cannot be reached',
  broke_off: 'has broken off the connection',
  tls_failed: 'has no certificate that is trusted here',
};

export function faultOfConnection(error: unknown, { endpoint }: Place): S3Fault {
  const { code, name } = error as NodeJS.ErrnoException;
  const isLate = name === 'TimeoutError' || name === 'AbortError';
  const known = connectionFaultOf(typeof code === 'string' ? code : '');
  const how = isLate ? 'does not answer in time' : known ? words[known] : 'has failed';
  return new S3Fault('unreachable', `S3 at ${endpoint} ${how}.`, { cause: error });
}
