import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { AnyProcedure } from '../procedure.ts';
import type { ThreadData, UnitMessage } from './messages.ts';
import { UnitWriter } from './unit-writer.ts';

/** The thread's whole work: what has arrived makes a group, and when that is written, what has arrived meanwhile. */
export function serveProcedures(procedures: readonly AnyProcedure[]): void {
  const port = parentPort as MessagePort;
  const writer = new UnitWriter((workerData as ThreadData).file, procedures);
  const inbox = new Inbox(port);
  let isWriting = false;

  const writeAll = async (): Promise<void> => {
    isWriting = true;
    for (let units = inbox.take(); units.length > 0; units = inbox.take()) {
      port.postMessage(await writer.write(units));
      if (units.length > 1) rest();
    }
    isWriting = false;
    if (!inbox.isOpen) {
      writer.close();
      port.close();
    }
  };
  port.on('message', (message: UnitMessage | null) => {
    inbox.add(message);
    if (!isWriting) void writeAll();
  });
}

/**
 * Those who were just answered write again soon where there are many, and a group more of them is a sync less. This thread has
 * nothing else to do.
 */
const restMs = 0.5;
const bed = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

function rest(): void {
  Atomics.wait(bed, 0, 0, restMs);
}

/** Units that came as events, and those that still lie in the port: waiting for their events would cost turns of the loop. */
class Inbox {
  readonly #port: MessagePort;
  readonly #units: UnitMessage[] = [];
  /** False once nothing more will come. */
  isOpen = true;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  add(message: UnitMessage | null): void {
    if (message) this.#units.push(message);
    else this.isOpen = false;
  }

  take(): UnitMessage[] {
    for (let next = receiveMessageOnPort(this.#port); next; next = receiveMessageOnPort(this.#port))
      this.add(next.message as UnitMessage | null);
    return this.#units.splice(0);
  }
}
