/** Something that can listen: a Fastify instance, which returns its address. */
interface Listener {
  listen(where: { host: string; port: number }): Promise<string>;
}

interface ListenOptions {
  host: string;
  port: number;
  /** If a port is busy, the next one is tried, up to this one. It equals `port` when the port was chosen on purpose. */
  lastPort: number;
  /** The option or the setting that names the port, for messages. */
  named?: string;
}

/** Says why the gateway cannot listen, and names the option to change. */
export class ListenError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ListenError';
  }
}

/**
 * Listens, and returns the port that it took. It tries ports instead of checking them, so two starting processes never
 * share a guess.
 */
export async function listenOnFreePort(listener: Listener, options: ListenOptions): Promise<number> {
  for (let port = options.port; ; port++) {
    try {
      const address = await listener.listen({ host: options.host, port });
      return port === 0 ? Number(new URL(address).port) : port;
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE' || port >= options.lastPort) throw explain(error, options);
    }
  }
}

function explain(error: unknown, { host, port, lastPort, named = '--port' }: ListenOptions): unknown {
  const sentence = {
    EADDRINUSE:
      lastPort > port
        ? `Every port from ${port} to ${lastPort} is in use on ${host}. Name a free one with ${named}, or let ${named} 0 choose.`
        : `Port ${port} is in use on ${host}. Stop what uses it, or name another with ${named} (0 takes any free one).`,
    EACCES: `This user may not listen on port ${port}. Choose one above 1023 with ${named}.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Choose another with --host.`,
    ENOTFOUND: `The name ${host} has no address. Choose another with --host.`,
  }[codeOf(error)];
  return sentence === undefined ? error : new ListenError(sentence, error);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
