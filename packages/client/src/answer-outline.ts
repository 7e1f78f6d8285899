import type { Endpoint } from '@switchyard/contract/endpoint';
import { ConnectionError } from './errors.ts';

/** The part of a JSON schema that this file uses. */
interface Outline {
  type?: string;
  properties?: Record<string, Outline>;
  required?: readonly string[];
  const?: unknown;
}

/**
 * Another server may answer with JSON as well. The outline of an answer shows whether it comes from the gateway: it is
 * a list or an object as expected, and has the fields that the endpoint always returns. The values are not checked,
 * because the gateway writes its answers by the same schema, and a newer gateway may know more.
 */
export function requireOutline({ schema }: Endpoint, value: unknown, url: string): void {
  const outline = Object.entries(schema.response).find(([status]) => status.startsWith('2'))?.[1] as
    | Outline
    | undefined;
  if (outline === undefined || fits(withoutEnvelope(outline), value)) return;
  throw new ConnectionError(
    'not_understood',
    `${url} answered something that no Switchyard gateway answers. Is a gateway at this address?`,
  );
}

function withoutEnvelope(outline: Outline): Outline {
  const { code, data } = outline.properties ?? {};
  return code?.const === 200 && data ? data : outline;
}

function fits({ type, required = [] }: Outline, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type !== 'object') return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return required.every((name) => Object.hasOwn(value, name));
}
