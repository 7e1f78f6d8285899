import { parseWorkerAddress, type WorkerAddress } from '@switchyard/contract/dispatch/worker-address';
import { CommandError } from './exit-codes.ts';

/** Reads the address of a worker that a user gave. */
export function readWorkerAddress(text: string): WorkerAddress {
  const address = parseWorkerAddress(text);
  if (address) return address;
  throw new CommandError(
    'usage',
    `"${text}" is not the address of a worker. Write host:port, for example 192.168.1.20:8188, or what a browser shows, for example https://gpu.example.com/comfy/.`,
  );
}
