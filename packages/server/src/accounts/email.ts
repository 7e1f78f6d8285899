import type { Fault } from '@switchyard/contract/errors';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { say, textOf } from '@switchyard/contract/sentences/sentences';
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
      message: say('email_wrong', { cause: reason }),
      type: 'value_error',
      input: text,
      ctx: { reason: textOf(reason) },
    },
  ];
}

export function throwFaults(faults: Fault[]): void {
  if (faults.length > 0) throw new AppError('validation_failed', { faults });
}

function whyNot(address: string): Sentence[] | undefined {
  const at = address.lastIndexOf('@');
  if (at < 0) return say('email_no_at');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  if (local === '') return say('email_no_name');
  if (domain === '') return say('email_no_domain');
  if (address.length > 254 || local.length > 64) return say('email_too_long');
  if (!/^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/.test(local)) {
    return say('email_name_characters');
  }
  if (!domain.includes('.')) {
    return say('email_no_period');
  }
  if (!/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(domain)) {
    return say('email_no_domain_name');
  }
  return undefined;
}
