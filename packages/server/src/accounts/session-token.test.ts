import { createHmac } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { SessionTokens, sessionKinds } from './session-token.ts';
import { deriveKey } from './signing-secret.ts';

const secret = 'a secret of thirty-two characters';
let now = Date.UTC(2030, 0, 1);
const tokens = new SessionTokens({ secret, clock: () => now });
const claims = { sub: 'user-1', ver: 3, jti: 'session-1', ttlSeconds: 60 };
const sessionKey = deriveKey(secret, 'session token');

const invalid = (reason: string) =>
  expect.objectContaining({ code: 'token_invalid', message: `Token error: ${reason}` });

/** A token with our key and any header and payload. */
function forge(header: object, payload: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${createHmac('sha256', sessionKey).update(signed).digest('base64url')}`;
}

describe('session tokens', () => {
  test.each(sessionKinds)('of kind %s say whose they are until they expire', (kind) => {
    const token = tokens.sign(kind, claims);
    const iat = now / 1_000;
    expect(tokens.verify(kind, token)).toEqual({
      sub: 'user-1',
      ver: 3,
      jti: 'session-1',
      aud: kind,
      iat,
      nbf: iat,
      exp: iat + 60,
    });
  });

  test('are JWTs that another library verifies', async () => {
    const { payload, protectedHeader } = await jwtVerify(tokens.sign('session', claims), sessionKey, {
      algorithms: ['HS256'],
      audience: 'session',
      typ: 'sy-session+jwt',
      currentDate: new Date(now),
    });
    expect(payload.sub).toBe('user-1');
    expect(protectedHeader.alg).toBe('HS256');
  });

  test('expire at their second', () => {
    const token = tokens.sign('session', claims);
    now += 59_999;
    expect(tokens.verify('session', token).sub).toBe('user-1');
    now += 1;
    expect(() => tokens.verify('session', token)).toThrow(
      expect.objectContaining({ code: 'token_expired', message: 'Token error: expired' }),
    );
  });

  test('of one kind are worth nothing as the other, even with the other header put in front', () => {
    const [session, dispatch] = [tokens.sign('session', claims), tokens.sign('dispatch', claims)];
    expect(() => tokens.verify('dispatch', session)).toThrow(invalid('malformed'));
    expect(() => tokens.verify('session', dispatch)).toThrow(invalid('malformed'));
    const swapped = [session.split('.')[0], ...dispatch.split('.').slice(1)].join('.');
    expect(() => tokens.verify('session', swapped)).toThrow(invalid('invalid_signature'));
  });

  test('of the other audience are refused even under the right key and header', () => {
    const header = { alg: 'HS256', typ: 'sy-session+jwt' };
    const payload = { ...claims, aud: 'dispatch', nbf: 0, exp: now };
    expect(() => tokens.verify('session', forge(header, payload))).toThrow(invalid('malformed'));
  });

  test.each([
    { alg: 'none', typ: 'sy-session+jwt' },
    { alg: 'HS512', typ: 'sy-session+jwt' },
    { alg: 'HS256', typ: 'JWT' },
    { alg: 'HS256', typ: 'sy-session+jwt', jku: 'https://evil.example' },
  ])('with the header %j are refused before anything is read from them', (header) => {
    expect(() => tokens.verify('session', forge(header, { aud: 'session' }))).toThrow(invalid('malformed'));
  });

  test('signed with another secret are refused', async () => {
    const other = new SessionTokens({ secret: 'another secret of thirty-two chars', clock: () => now });
    expect(() => tokens.verify('session', other.sign('session', claims))).toThrow(
      invalid('invalid_signature'),
    );
    const raw = await new SignJWT({ aud: 'session' })
      .setProtectedHeader({ alg: 'HS256', typ: 'sy-session+jwt' })
      .sign(Buffer.from(secret));
    expect(() => tokens.verify('session', raw)).toThrow(invalid('invalid_signature'));
  });

  test('are refused after any change of a character', () => {
    const token = tokens.sign('session', claims);
    for (let i = 0; i < token.length; i += 1) {
      const changed = `${token.slice(0, i)}${token[i] === 'A' ? 'B' : 'A'}${token.slice(i + 1)}`;
      expect(() => tokens.verify('session', changed)).toThrow(
        expect.objectContaining({ code: 'token_invalid' }),
      );
    }
  });

  test.each(['', '.', '..', '...', 'garbage', 'a.b.c', 'a.b.c.d', `${'a'.repeat(3_000)}.b.c`])(
    'are not %j',
    (text) => {
      expect(() => tokens.verify('session', text)).toThrow(invalid('malformed'));
    },
  );

  test('outlive a clock that is set back by two hours', () => {
    const token = tokens.sign('session', claims);
    now -= 2 * 3_600_000;
    expect(tokens.verify('session', token).sub).toBe('user-1');
    now -= 24 * 3_600_000;
    expect(() => tokens.verify('session', token)).toThrow(invalid('malformed'));
  });
});
