import { textOf } from '@switchyard/contract/sentences/sentences';
import bcrypt from 'bcrypt';
import { describe, expect, test } from 'vitest';
import { CommonPasswords } from './common-passwords.ts';
import { Passwords } from './passwords.ts';

const passwords = new Passwords({
  hashing: { concurrency: 2, queue: 10 },
  common: new CommonPasswords(),
  cost: 4,
});

describe('password hashes', () => {
  test('verify only the password that they were made from', async () => {
    const hash = await passwords.hash('correct horse');
    expect(hash).toMatch(/^\$sy1\$\$2b\$04\$/);
    expect(await passwords.verify('correct horse', hash)).toBe(true);
    expect(await passwords.verify('correct horsf', hash)).toBe(false);
  });

  test('fit the column and differ each time', async () => {
    const [first, second] = [await passwords.hash('correct horse'), await passwords.hash('correct horse')];
    expect(first).not.toBe(second);
    expect(first.length).toBeLessThanOrEqual(128);
  });

  test('depend on every byte of a long password', async () => {
    const long = 'x'.repeat(100);
    const hash = await passwords.hash(`${long}1`);
    expect(await passwords.verify(`${long}2`, hash)).toBe(false);
    expect(await passwords.verify(`${long}1`, hash)).toBe(true);
  });

  test('depend on the bytes after a NUL', async () => {
    const hash = await passwords.hash('before\0after');
    expect(await passwords.verify('before\0other', hash)).toBe(false);
  });

  test('match no password if the account does not exist, has no password, or has a hash in an unknown format', async () => {
    expect(await passwords.verify('anything', undefined)).toBe(false);
    expect(await passwords.verify('anything', null)).toBe(false);
    expect(await passwords.verify('anything', await bcrypt.hash('anything', 4))).toBe(false);
  });

  test('use cost 12 unless told otherwise', async () => {
    const usual = new Passwords({ hashing: { concurrency: 1, queue: 1 }, common: new CommonPasswords() });
    expect(await usual.hash('correct horse')).toMatch(/^\$sy1\$\$2b\$12\$/);
  });
});

describe('new passwords', () => {
  test('must not be common', () => {
    const faults = passwords.faults('Password1', 'new_password');
    expect(faults.map((fault) => ({ ...fault, message: textOf(fault.message) }))).toEqual([
      {
        in: 'body',
        path: ['new_password'],
        message: 'Value error, Password is too common; choose a stronger password.',
        type: 'value_error',
        input: 'Password1',
        ctx: { error: {} },
      },
    ]);
  });

  test('have at most 1,024 bytes, not characters', () => {
    expect(passwords.faults('é'.repeat(512), 'password')).toEqual([]);
    expect(passwords.faults('é'.repeat(513), 'password')).toHaveLength(1);
  });
});
