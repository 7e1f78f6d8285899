/** The part of the standard WebSocket that is used: a browser's own, Node 22's, or that of `ws`. */
export interface WebSocketLike {
  binaryType: string;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  /** Only `ws` has this method: it drops a connection that no longer answers. */
  terminate?(): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
}

/** The third argument is for `ws` only: outside a browser nothing else adds the cookies. */
export type WebSocketConstructor = new (
  url: string,
  protocols: string[],
  options?: { headers: Record<string, string> },
) => WebSocketLike;
