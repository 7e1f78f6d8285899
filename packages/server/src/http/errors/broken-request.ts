import type { Socket } from 'node:net';

const answers: Record<string, { status: string; detail: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    detail: 'The headers of the request are larger than this gateway accepts.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    detail: 'The request did not arrive in time. Send it again.',
  },
};
const malformed = { status: '400 Bad Request', detail: 'This is not a valid HTTP request.' };

/**
 * Data that cannot be read as HTTP never becomes a request. The response is written by hand, and the connection ends. A
 * HEAD that came in one piece gets no body: its client would take the body for data that belongs to nothing.
 */
export function answerBrokenRequest(
  error: Error & { code?: string; rawPacket?: unknown },
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, detail } = answers[error.code ?? ''] ?? malformed;
  const body = JSON.stringify({ detail });
  if (socket.writable) {
    socket.write(
      [
        `HTTP/1.1 ${status}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Cache-Control: no-store',
        'X-Content-Type-Options: nosniff',
        'Referrer-Policy: no-referrer',
        'Connection: close',
        '',
        isHead(error.rawPacket) ? '' : body,
      ].join('\r\n'),
    );
  }
  socket.destroySoon();
}

function isHead(packet: unknown): boolean {
  return Buffer.isBuffer(packet) && packet.subarray(0, 5).toString('latin1') === 'HEAD ';
}
