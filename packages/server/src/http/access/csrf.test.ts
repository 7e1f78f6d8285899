import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { fixedKeys } from '../../platform/keys.ts';
import { CsrfTokens } from './csrf.ts';

const csrf = new CsrfTokens(fixedKeys(createSecretKey(randomBytes(32))));

describe('CSRF value', () => {
  test('is 86 characters, equal for one session and different for another', () => {
    expect(csrf.valueFor('s1')).toHaveLength(86);
    expect(csrf.valueFor('s1')).toBe(csrf.valueFor('s1'));
    expect(csrf.valueFor('s1')).not.toBe(csrf.valueFor('s2'));
  });

  test('is missing when header or cookie is missing', () => {
    expect(() => csrf.checkPair(undefined, 'x')).toThrow(/missing/);
    expect(() => csrf.checkPair('x', undefined)).toThrow(/missing/);
    expect(() => csrf.checkPair('', '')).toThrow(/missing/);
  });

  test('mismatches when the header is not the cookie', () => {
    expect(() => csrf.checkPair('x', 'y')).toThrow(/mismatch/);
    expect(() => csrf.checkPair('x', 'xx')).toThrow(/mismatch/);
    expect(csrf.checkPair('x', 'x')).toBe('x');
  });

  test('mismatches when header and cookie have the value of another session, or of another key', () => {
    const other = new CsrfTokens(fixedKeys(createSecretKey(randomBytes(32))));
    expect(() => csrf.checkBinding(csrf.valueFor('s2'), 's1')).toThrow(/mismatch/);
    expect(() => csrf.checkBinding(other.valueFor('s1'), 's1')).toThrow(/mismatch/);
    expect(() => csrf.checkBinding(csrf.valueFor('s1'), 's1')).not.toThrow();
  });
});
