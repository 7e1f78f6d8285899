import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * Returns whether a request has the signature that S3 computes for it (version 4, in the header or in the query), from the bytes that
 * have arrived. The server of the tests does not compare signatures.
 */
export function isSignedWith(
  secretAccessKey: string,
  request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
): boolean {
  const { method = '', url = '', headers } = request;
  const { pathname, searchParams: query } = new URL(url, 'http://service');
  const fromQuery = (name: string) => query.get(name) ?? '';
  const [, credential, names, signature] = /Credential=([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(
    headers.authorization ?? '',
  ) ?? ['', fromQuery('X-Amz-Credential'), fromQuery('X-Amz-SignedHeaders'), fromQuery('X-Amz-Signature')];
  const [, day = '', region = '', service = ''] = credential?.split('/') ?? [];
  const signed = (names ?? '').split(';');
  const canonical = [
    method,
    pathname,
    [...query]
      .filter(([name]) => name !== 'X-Amz-Signature')
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&'),
    ...signed.map((name) => `${name}:${headers[name]}`),
    '',
    names,
    headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD',
  ].join('\n');
  const toSign = [
    'AWS4-HMAC-SHA256',
    headers['x-amz-date'] ?? fromQuery('X-Amz-Date'),
    `${day}/${region}/${service}/aws4_request`,
    createHash('sha256').update(canonical).digest('hex'),
  ].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (before, text) => createHmac('sha256', before).update(text).digest(),
    `AWS4${secretAccessKey}`,
  );
  return createHmac('sha256', key).update(toSign).digest('hex') === signature;
}

/** S3 decodes what has arrived, and encodes it again by RFC 3986. */
function encoded(text: string): string {
  const percent = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, percent);
}
