/** Every limit of the HTTP edge. What the configuration does not name keeps the value below. */
export interface HttpLimits {
  /** Largest body where the endpoint names no other; decision 29 of the conversation contract. */
  bodyBytes: number;
  /** Largest body where the endpoint carries messages or workflows: pictures travel inside them. */
  largeBodyBytes: number;
  /** Bytes of bodies that have arrived and are not whole yet, of all users, uploads left out; beyond it 503. */
  bodyMemoryBytes: number;
  /** The same of one user, beyond it 429: a quarter, so that no user takes the room of all. */
  bodyBytesPerUser: number;
  /** The same of all callers who are not signed in; beyond it 503. Only a login and a channel take bodies from them. */
  strangerBodyBytes: number;
  /** The same of one such address, beyond it 429: some of the largest messages of a channel side by side. */
  strangerBodyBytesPerAddress: number;
  /** So much of each body is not counted, for it holds hardly more than its socket does: a login is never refused for room. */
  uncountedBodyBytes: number;
  /** WebSockets that are not signed in yet; beyond it 503. Each has two seconds, so this lets a hundred a second in. */
  strangerSockets: number;
  /** The same of one address, beyond it 429: the tabs of one person who come back together. */
  strangerSocketsPerAddress: number;
  /** Request line and headers together; beyond it 431. */
  headBytes: number;
  /** Decoded length of one path segment that is a parameter. */
  paramLength: number;
  /** A client that trickles its headers is cut off. */
  headersTimeoutMs: number;
  /** A client must have sent the whole request by then. */
  requestTimeoutMs: number;
  /** A socket without a byte in either direction; above the 60 s that a request may be held on purpose. */
  idleTimeoutMs: number;
  /** Above the 60 s of common load balancers, so that it is they who close idle connections. */
  keepAliveTimeoutMs: number;
  /** Beyond it a request is shed with 503, before anything is computed for it. */
  requestsInFlight: number;
  /** Sockets of all kinds. */
  connections: number;
}

export const defaultHttpLimits: HttpLimits = {
  bodyBytes: 2_000_000,
  largeBodyBytes: 25_000_000,
  bodyMemoryBytes: 256_000_000,
  bodyBytesPerUser: 64_000_000,
  strangerBodyBytes: 64_000_000,
  strangerBodyBytesPerAddress: 8_000_000,
  uncountedBodyBytes: 16_384,
  strangerSockets: 200,
  strangerSocketsPerAddress: 16,
  headBytes: 16_384,
  paramLength: 512,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 120_000,
  idleTimeoutMs: 120_000,
  keepAliveTimeoutMs: 72_000,
  requestsInFlight: 1_000,
  connections: 10_000,
};

/** JSON beyond it is refused before it is parsed: what is small as text can be large as values, and each costs time. */
export const jsonLimits = { depth: 64, values: 100_000 } as const;
