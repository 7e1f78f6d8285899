import type { Fault } from '@switchyard/contract/errors';
import { AppError } from '../lib/app-error.ts';

/** The only spelling under which an address is stored and looked up. */
export function normalEmail(text: string): string {
  return text.trim().toLowerCase();
}

/** Returns the faults of an address. Only its form is checked: a gateway on a local network may use any domain. */
export function emailFaults(text: string, field: string): Fault[] {
  const reason = whyNot(normalEmail(text));
  if (reason === undefined) return [];
  return [
    {
      in: 'body',
      path: [field],
      message: `value is not a valid email address: ${reason}`,
      type: 'value_error',
      input: text,
      ctx: { reason },
    },
  ];
}

export function throwFaults(faults: Fault[]): void {
  if (faults.length > 0) throw new AppError('validation_failed', { faults });
}

function whyNot(address: string): string | undefined {
  const at = address.lastIndexOf('@');
  if (at < 0) return 'An email address must have an @-sign.';
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  if (local === '') return 'There must be something before the @-sign.';
  if (domain === '') return 'There must be something after the @-sign.';
  if (address.length > 254 || local.length > 64) return 'The email address is too long.';
  if (!/^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/.test(local)) {
    return 'The email address contains invalid characters before the @-sign.';
  }
  if (!domain.includes('.')) {
    return 'The part after the @-sign is not valid. It should have a period.';
  }
  if (!/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(domain)) {
    return 'The part after the @-sign is not a valid domain name.';
  }
  return undefined;
}
