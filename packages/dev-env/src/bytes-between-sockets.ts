import { readFile } from 'node:fs/promises';

/**
 * The maximum number of bytes between two sockets of this machine while no one reads. Linux reports it; other systems
 * stay well below.
 */
export async function bytesBetweenSockets(): Promise<number> {
  const largest = async (name: string): Promise<number> => {
    const limits = await readFile(`/proc/sys/net/ipv4/${name}`, 'utf8').catch(() => '0 0 8388608');
    return Number(limits.trim().split(/\s+/)[2]);
  };
  return (await largest('tcp_rmem')) + (await largest('tcp_wmem'));
}
