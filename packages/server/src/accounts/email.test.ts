import { textOf } from '@switchyard/contract/sentences/sentences';
import { describe, expect, test } from 'vitest';
import { emailFaults, normalEmail, throwFaults } from './email.ts';

describe('e-mail addresses', () => {
  test.each([
    'ada@example.com',
    ' Ada.Lovelace+x@Sub.Example.CO ',
    "o'neil@studio.local",
    'a@xn--bcher-kva.example',
    `${'a'.repeat(64)}@example.com`,
  ])('accepts %s', (address) => {
    const faults = emailFaults(address, 'email');
    expect(faults.map((fault) => ({ ...fault, message: textOf(fault.message) }))).toEqual([]);
  });

  test.each([
    ['ada', 'An email address must have an @-sign.'],
    ['@example.com', 'There must be something before the @-sign.'],
    ['ada@', 'There must be something after the @-sign.'],
    ['ada@example', 'The part after the @-sign is not valid. It should have a period.'],
    ['ada@exa mple.com', 'The part after the @-sign is not a valid domain name.'],
    ['ada@-example.com', 'The part after the @-sign is not a valid domain name.'],
    ['ada@example..com', 'The part after the @-sign is not a valid domain name.'],
    ['ada@10.0.0.1', 'The part after the @-sign is not a valid domain name.'],
    ['a..b@example.com', 'The email address contains invalid characters before the @-sign.'],
    ['a b@example.com', 'The email address contains invalid characters before the @-sign.'],
    ['a\r\nBcc: b@example.com', 'The email address contains invalid characters before the @-sign.'],
    ['аda@example.com', 'The email address contains invalid characters before the @-sign.'],
    [`${'a'.repeat(65)}@example.com`, 'The email address is too long.'],
  ])('refuses %j', (address, reason) => {
    const faults = emailFaults(address, 'email');
    expect(faults.map((fault) => ({ ...fault, message: textOf(fault.message) }))).toEqual([
      {
        in: 'body',
        path: ['email'],
        message: `value is not a valid email address: ${reason}`,
        type: 'value_error',
        input: address,
        ctx: { reason },
      },
    ]);
  });

  test('are equal whatever their case', () => {
    expect(normalEmail(' ADA@Example.com ')).toBe('ada@example.com');
  });

  test('are refused with all their faults at once', () => {
    expect(() => throwFaults([])).not.toThrow();
    const faults = [...emailFaults('ada', 'email'), ...emailFaults('bob', 'new_email')];
    const worded = faults.map(({ message, ...fault }) =>
      expect.objectContaining({ ...fault, message: textOf(message) }),
    );
    expect(() => throwFaults(faults)).toThrow(
      expect.objectContaining({ code: 'validation_failed', faults: worded }),
    );
  });
});
