import { type Disk, nodeDisk } from '../src/platform/files/disk.ts';

type Write = (bytes: Uint8Array, from: number, length: number) => Promise<{ bytesWritten: number }>;
type OpenFile = Awaited<ReturnType<Disk['open']>>;

/** The real disk, except for some methods of the files that it opens. */
export function diskWithFile(override: (file: OpenFile) => object): Disk {
  return {
    ...nodeDisk,
    open: async (...args) => {
      const file = await nodeDisk.open(...args);
      return Object.assign(file, override(file));
    },
  };
}

/** Counts the steps of a put and fails the requested one, like a disk that breaks at that moment. */
class DiskFaults {
  readonly steps: string[] = [];
  failed: string | undefined;
  #failingStep: number | undefined;
  #code = '';

  /** Counts from one, starting now. */
  failStep(step: number, code: string): void {
    this.failNothing();
    this.#failingStep = step;
    this.#code = code;
  }

  failNothing(): void {
    this.#failingStep = undefined;
    this.failed = undefined;
    this.steps.length = 0;
  }

  step(name: string): void {
    this.steps.push(name);
    if (this.steps.length !== this.#failingStep) return;
    this.failed = name;
    throw Object.assign(new Error(`${this.#code}: ${name}`), { code: this.#code });
  }
}

/** The real disk with faults on demand. A failed close has still closed the file, as with the system call. */
export function failingDisk(): { disk: Disk; faults: DiskFaults } {
  const faults = new DiskFaults();
  const files = diskWithFile((file) => {
    const write: Write = file.write.bind(file);
    const sync = file.sync.bind(file);
    const close = file.close.bind(file);
    return {
      write: async (...args: Parameters<Write>) => {
        faults.step('write');
        return write(...args);
      },
      sync: async () => {
        faults.step('sync');
        return sync();
      },
      close: async () => {
        await close();
        faults.step('close');
      },
    };
  });
  const disk: Disk = {
    ...nodeDisk,
    freeBytes: async (path) => {
      faults.step('freeBytes');
      return nodeDisk.freeBytes(path);
    },
    open: async (...args) => {
      faults.step('open');
      return files.open(...args);
    },
    rename: async (from, to) => {
      faults.step('rename');
      return nodeDisk.rename(from, to);
    },
    syncDirectory: async (path) => {
      faults.step('syncDirectory');
      return nodeDisk.syncDirectory(path);
    },
  };
  return { disk, faults };
}
