import { expect, it } from 'vitest';
import { AppError } from '../../../lib/app-error.ts';
import { startFault } from './postgres-fault.ts';

const url = 'postgres://switchyard:secret@db.example.com:5432/switchyard';
const serverError = (code: string, message: string) => Object.assign(new Error(message), { code });
const unavailable = (cause: Error) => new AppError('database_unavailable', { cause });

it.each([
  [
    serverError('28P01', 'password authentication failed'),
    /refuses the user or the password; set them in database\.url\.$/,
  ],
  [unavailable(new Error('SASL: client password must be a string')), /refuses the user or the password/],
  [
    serverError('3D000', 'database "x" does not exist'),
    /has no such database; create it, or correct database\.url\.$/,
  ],
  [
    unavailable(serverError('ECONNREFUSED', 'connect')),
    /cannot be reached; check database\.url, and that the server runs\.$/,
  ],
])('says which server cannot be used, why, and what to set: %s', (error, sentence) => {
  const fault = startFault(error, url) as AppError;
  expect(fault.message).toMatch(sentence);
  expect(fault.message).toMatch(/^PostgreSQL at db\.example\.com:5432 /);
  expect(fault.message).not.toContain('secret');
  expect(fault.code).toBe('database_unavailable');
});

it('names the folder of a socket, and leaves other errors as they are', () => {
  const inFolder = 'postgres://switchyard@localhost/x?host=%2Frun%2Fpostgres';
  const fault = startFault(unavailable(new Error('connect ENOENT')), inFolder) as AppError;
  expect(fault.message).toMatch(/^PostgreSQL at \/run\/postgres cannot be reached/);
  const busy = new AppError('database_busy');
  expect(startFault(busy, url)).toBe(busy);
  const defect = new TypeError('x is not a function');
  expect(startFault(defect, url)).toBe(defect);
});
