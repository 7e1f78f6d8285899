import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

export interface HeldPort {
  port: number;
  release(): Promise<void>;
}

/** A port of loopback for a program that has to be told one. No other program is given it before it is released. */
export async function holdPort(): Promise<HeldPort> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    release: async () => {
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}
