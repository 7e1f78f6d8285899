/** Every limit of the HTTP edge. A limit that the configuration does not name keeps the value below. */
export interface HttpLimits {
  /** Maximum body if the endpoint names no other; decision 29 of the conversation contract. */
  bodyBytes: number;
  /** Maximum body if the endpoint carries messages or workflows, because pictures travel inside them. */
  largeBodyBytes: number;
  /** Bytes of incomplete bodies of all users, without uploads; beyond it 503. */
  bodyMemoryBytes: number;
  /** The same for one user, beyond it 429: a quarter, so that no user takes the room of all. */
  bodyBytesPerUser: number;
  /**
   * The same for all callers who are not signed in; beyond it 503. Only a login and a channel accept bodies from them.
   */
  strangerBodyBytes: number;
  /** The same for one such address, beyond it 429: several of the largest messages of a channel side by side. */
  strangerBodyBytesPerAddress: number;
  /**
   * This much of each body is not counted, because it holds hardly more than its socket does. So a login is never
   * refused for lack of room.
   */
  uncountedBodyBytes: number;
  /**
   * WebSockets that are not signed in yet; beyond it 503. Each has two seconds, so this admits a hundred per second.
   */
  strangerSockets: number;
  /** The same for one address, beyond it 429: the tabs of one person that reconnect together. */
  strangerSocketsPerAddress: number;
  /** Request line and headers together; beyond it 431. */
  headBytes: number;
  /** Maximum decoded length of one path segment that is a parameter. */
  paramLength: number;
  /** A client that sends its headers too slowly is disconnected. */
  headersTimeoutMs: number;
  /** The time within which a client must have sent the whole request. */
  requestTimeoutMs: number;
  /** For a socket without a byte in either direction. It is above the 60 s that a request may be held on purpose. */
  idleTimeoutMs: number;
  /** Above the 60 s of common load balancers, so that they are the ones who close idle connections. */
  keepAliveTimeoutMs: number;
  /** Maximum number of requests in flight. Beyond it a request gets 503 before any work is done for it. */
  requestsInFlight: number;
  /** Requests of public routes in flight, of all callers together; beyond it 503. The other half is for users. */
  strangerRequests: number;
  /** The same for one address, beyond it 429: a classroom that signs in at the same time. */
  strangerRequestsPerAddress: number;
  /** Requests of one user for what strangers may also ask for, such as files and thumbnails, in flight; beyond it 429. A page of a gallery has 200. */
  openRequestsPerUser: number;
  /** Requests of one connection that wait for the end of their answers. A connection with more is cut; no browser pipelines. */
  requestsPerConnection: number;
  /** Maximum number of sockets of all kinds. */
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
  strangerRequests: 500,
  strangerRequestsPerAddress: 200,
  openRequestsPerUser: 600,
  requestsPerConnection: 32,
  connections: 10_000,
};

/** JSON beyond these limits is refused before it is parsed: a short text can hold many values, and each costs time. */
export const jsonLimits = { depth: 64, values: 100_000 } as const;
