/** A finding of the doctor about one thing. */
export interface Finding {
  subject: Subject;
  ok: boolean;
  /** A sentence: how it is, or what is wrong. */
  says: string;
  /** The command to type; null where nothing is wrong. */
  remedy: string | null;
}

export type Subject =
  | 'configuration'
  | 'home'
  | 'disk'
  | 'listener'
  | 'secrets'
  | 'proxies'
  | 'models'
  | 'database'
  | 'update'
  | 'restore'
  | 'redis'
  | 'files'
  | 'clock'
  | 'workers';

export function well(subject: Subject, says: string): Finding {
  return { subject, ok: true, says, remedy: null };
}

export function wrong(subject: Subject, says: string, remedy: string): Finding {
  return { subject, ok: false, says, remedy };
}

export function messageOf(error: unknown): string {
  const { message } = error instanceof Error ? error : { message: String(error) };
  return message.endsWith('.') ? message : `${message}.`;
}
