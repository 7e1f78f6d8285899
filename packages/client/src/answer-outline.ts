import type { Endpoint } from '@switchyard/contract/endpoint';
import { ConnectionError } from './errors.ts';

/** The part of a JSON schema that is looked at. */
interface Outline {
  type?: string;
  properties?: Record<string, Outline>;
  required?: readonly string[];
  const?: unknown;
}

/**
 * Some other server may answer JSON as well. Its answer is told apart by its outline: whether it is a list or an object,
 * and whether the fields are there that the endpoint always answers. What stands in them is not checked: the gateway
 * writes its answers by the same schema, and a newer one may know more.
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
