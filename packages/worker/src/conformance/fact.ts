import type { Subject } from './subject.ts';

/** One sentence about the protocol, and the check on the wire that it holds. */
export interface Fact {
  /** The section of the worker protocol: A1 server, A2 prompt, A3 queue, A4 files, A5 introspection, A6 socket. */
  section: 'A1' | 'A2' | 'A3' | 'A4' | 'A5' | 'A6';
  says: string;
  check: Check;
  /** The version of ComfyUI on which the fact was observed. */
  seenOn: string;
  /** The last version for which the fact holds; null when newer versions do the same. */
  until: string | null;
  /** False: a habit of ComfyUI that the gateway can do without. */
  isRequired: boolean;
}

type Check = (subject: Subject) => Promise<void>;
type Conditions = Partial<Pick<Fact, 'until' | 'isRequired'>>;

const seenOn = '0.3.64';

export function factsOf(
  section: Fact['section'],
  checks: Record<string, Check | (Conditions & { check: Check })>,
): Fact[] {
  return Object.entries(checks).map(([says, given]) => {
    const conditional = typeof given === 'function' ? { check: given } : given;
    return { section, says, seenOn, until: null, isRequired: true, ...conditional };
  });
}

/** Returns whether a worker may differ here and still be an instance of the gateway. */
export function optional(check: Check): Conditions & { check: Check } {
  return { check, isRequired: false };
}

/** Newer versions differ, and the gateway handles both. */
export function upTo(until: string, check: Check): Conditions & { check: Check } {
  return { check, until, isRequired: false };
}
