import type { Subject } from './subject.ts';

/** One sentence about the protocol, and how to see on the wire that it holds. */
export interface Fact {
  /** Of the worker protocol's facts: A1 server, A2 prompt, A3 queue, A4 files, A5 introspection, A6 socket. */
  section: 'A1' | 'A2' | 'A3' | 'A4' | 'A5' | 'A6';
  says: string;
  check: Check;
  /** The version of ComfyUI on which it was seen. */
  seenOn: string;
  /** The last version for which it holds; null where newer ones do the same. */
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

/** A worker may do this differently and still be an instance of the gateway. */
export function optional(check: Check): Conditions & { check: Check } {
  return { check, isRequired: false };
}

/** Newer versions do otherwise, which the gateway knows. */
export function upTo(until: string, check: Check): Conditions & { check: Check } {
  return { check, until, isRequired: false };
}
