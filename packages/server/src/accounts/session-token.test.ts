import { createHmac } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { deriveKey, onlySecret } from './secrets/key-file.ts';
import { SigningKeys } from './secrets/signing-keys.ts';
import { SessionTokens, sessionKinds } from './session-token.ts';

const secret = 'a secret of thirty-two characters';
let now = Date.UTC(2030, 0, 1);
const clock = () => now;
const keysOf = (text: string) => new SigningKeys(onlySecret(text, 'a test'), clock);
const tokens = new SessionTokens({ keys: keysOf(secret), clock });
const claims = { sub: 'user-1', ver: 3, jti: 'session-1', ttlSeconds: 60 };
const sessionKey = deriveKey(secret, 'session token');

const invalid = (reason: string) =>
  expect.objectContaining({ code: 'token_invalid', message: `Token error: ${reason}` });

const sessionHeader = { alg: 'HS256', typ: 'sy-session+jwt' };

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function signed(text: string): string {
  return `${text}.${createHmac('sha256', sessionKey).update(text).digest('base64url')}`;
}

/** A token with our key and any header and payload. */
function forge(header: object, payload: object): string {
  return signed(`${encoded(JSON.stringify(header))}.${encoded(JSON.stringify(payload))}`);
}

function wholeClaims() {
  const iat = Math.floor(now / 1_000);
  return { sub: 'user-1', ver: 3, jti: 'session-1', aud: 'session', iat, nbf: iat, exp: iat + 60 };
}

/** Each claim missing, null, and of each wrong type. */
function wrongClaims() {
  const wrongForAll: unknown[] = [undefined, null, true, [], {}, ['user-1'], { toString: 'x' }];
  const wrongText = [...wrongForAll, 7, '', 'a\0b', 'x'.repeat(129)];
  const wrongNumber = [...wrongForAll, '9999999999', '', -1, 1.5, 1e300];
  const wrong: Record<string, unknown[]> = {
    sub: wrongText,
    jti: wrongText,
    aud: [...wrongText, ['session'], 'dispatch', 'Session'],
    ver: wrongNumber,
    iat: wrongNumber,
    nbf: wrongNumber,
    exp: wrongNumber,
  };
  return Object.entries(wrong).flatMap(([claim, values]) =>
    values.map((value) => ({ claim, value, text: JSON.stringify(value)?.slice(0, 20) ?? 'absent' })),
  );
}

describe('session tokens', () => {
  test.each(sessionKinds)('of kind %s identify their account until they expire', (kind) => {
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

  test('expire at the exact second', () => {
    const token = tokens.sign('session', claims);
    now += 59_999;
    expect(tokens.verify('session', token).sub).toBe('user-1');
    now += 1;
    expect(() => tokens.verify('session', token)).toThrow(
      expect.objectContaining({ code: 'token_expired', message: 'Token error: expired' }),
    );
  });

  test('of one kind are refused as the other, even with the header of the other', () => {
    const [session, dispatch] = [tokens.sign('session', claims), tokens.sign('dispatch', claims)];
    expect(() => tokens.verify('dispatch', session)).toThrow(invalid('malformed'));
    expect(() => tokens.verify('session', dispatch)).toThrow(invalid('malformed'));
    const swapped = [session.split('.')[0], ...dispatch.split('.').slice(1)].join('.');
    expect(() => tokens.verify('session', swapped)).toThrow(invalid('invalid_signature'));
  });

  test('for the other audience are refused even with the right key and header', () => {
    const header = { alg: 'HS256', typ: 'sy-session+jwt' };
    const payload = { ...claims, aud: 'dispatch', nbf: 0, exp: now };
    expect(() => tokens.verify('session', forge(header, payload))).toThrow(invalid('malformed'));
  });

  test('that are signed and complete are accepted, whatever other claims they have', () => {
    const whole = wholeClaims();
    expect(tokens.verify('session', forge(sessionHeader, { ...whole, more: [1] }))).toMatchObject(whole);
  });

  test.each(wrongClaims())('that are signed with $claim as $text are malformed', ({ claim, value }) => {
    const payload = { ...wholeClaims(), [claim]: value };
    expect(() => tokens.verify('session', forge(sessionHeader, payload))).toThrow(invalid('malformed'));
  });

  test.each(['', 'null', '[]', '"text"', '7', '{', '{"sub":'])(
    'that are signed over the payload %j are malformed',
    (payload) => {
      const text = signed(`${encoded(JSON.stringify(sessionHeader))}.${encoded(payload)}`);
      expect(() => tokens.verify('session', text)).toThrow(invalid('malformed'));
    },
  );

  test('that begin more than a day from now are malformed', () => {
    const late = now / 1_000 + 86_401;
    for (const claim of ['iat', 'nbf']) {
      const payload = { ...wholeClaims(), exp: late + 60, [claim]: late };
      expect(() => tokens.verify('session', forge(sessionHeader, payload))).toThrow(invalid('malformed'));
    }
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
    const other = new SessionTokens({ keys: keysOf('another secret of thirty-two chars'), clock });
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

  test('stay valid when the clock is set back by two hours', () => {
    const token = tokens.sign('session', claims);
    now -= 2 * 3_600_000;
    expect(tokens.verify('session', token).sub).toBe('user-1');
    now -= 24 * 3_600_000;
    expect(() => tokens.verify('session', token)).toThrow(invalid('malformed'));
  });
});
