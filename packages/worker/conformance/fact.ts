import type { Subject } from './subject.ts';

/** One sentence about the protocol, and how to see on the wire that it holds. */
export interface Fact {
  /** Of the worker protocol's facts: A1 server, A2 prompt, A3 queue, A4 files, A5 introspection, A6 socket. */
  section: 'A1' | 'A2' | 'A3' | 'A4' | 'A5' | 'A6';
  says: string;
  check: (subject: Subject) => Promise<void>;
}

/** Thrown where a fact cannot be seen on this server: it is reported with its reason, never counted as passed. */
export class NotObservable extends Error {}

export function factsOf(section: Fact['section'], checks: Record<string, Fact['check']>): Fact[] {
  return Object.entries(checks).map(([says, check]) => ({ section, says, check }));
}
