/** Standalone and embedded workers search a port from here; ComfyUI itself starts at 8188. */
const firstPort = 8199;
const portCount = 100;

/**
 * An explicit port is the only choice. Otherwise the port of the last start comes first, so that `ip:port`, the id of
 * an instance, stays the same. Then follow the free ports from 8199.
 */
export function portsToTry(wanted: number | undefined, kept: number | undefined): number[] {
  if (wanted !== undefined) return [wanted];
  const range = Array.from({ length: portCount }, (_, index) => firstPort + index);
  return kept === undefined ? range : [kept, ...range.filter((port) => port !== kept)];
}

export async function listenOnFirst(
  ports: readonly number[],
  listen: (port: number) => Promise<number>,
): Promise<number> {
  for (const [index, port] of ports.entries()) {
    try {
      return await listen(port);
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isBusy || index === ports.length - 1) throw error;
    }
  }
  throw new RangeError('No port to try was given.');
}
