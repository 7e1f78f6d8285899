import { ApiError, ConnectionError } from '@switchyard/client/errors';
import { ConfigError } from '@switchyard/server/config/faults';
import { AppError } from '@switchyard/server/lib/app-error';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { CommandError, exitCodes, exitNameOf } from './exit-codes.ts';

const answered = (status: number) => new ApiError({ status, code: 'x', message: `answered ${status}` });

describe('exit codes', () => {
  it('stay the same, because scripts rely on them', () => {
    expect(Object.values(exitCodes).map(({ code }) => code)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 130]);
  });

  it.each([
    [new ConfigError([]), 'config'],
    [new CommanderError(1, 'commander.unknownOption', 'unknown option'), 'usage'],
    [new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)'), 'ok'],
    [new AppError('not_authenticated'), 'auth'],
    [new AppError('admin_required'), 'auth'],
    [new AppError('route_not_found'), 'not_found'],
    [new AppError('database_unavailable'), 'unreachable'],
    [new AppError('internal_error'), 'failed'],
    [answered(401), 'auth'],
    [answered(403), 'auth'],
    [answered(404), 'not_found'],
    [answered(409), 'conflict'],
    [answered(412), 'conflict'],
    [answered(422), 'failed'],
    [answered(429), 'failed'],
    [answered(503), 'unreachable'],
    [new ConnectionError('timed_out', 'late'), 'unreachable'],
    [new CommandError('cancelled', 'Stopped.'), 'cancelled'],
    [new Error('anything else'), 'failed'],
    ['not even an error', 'failed'],
  ] as const)('%s ends as "%s"', (error, name) => {
    expect(exitNameOf(error)).toBe(name);
  });
});
