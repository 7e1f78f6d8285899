import { describe, expect, it } from 'vitest';
import { CronFault, nextMoment, readCron } from './cron.ts';

function moments(text: string, zone: string, from: string, count: number): (string | null)[] {
  const cron = readCron(text);
  const found: (string | null)[] = [];
  let at = Date.parse(from);
  for (let index = 0; index < count; index += 1) {
    const next = nextMoment(cron, zone, at);
    found.push(next === null ? null : new Date(next).toISOString().slice(0, 16));
    at = next ?? at;
  }
  return found;
}

describe('the next moments of a schedule', () => {
  it.each([
    ['*/15 * * * *', '2026-01-01T00:00Z', ['2026-01-01T00:15', '2026-01-01T00:30', '2026-01-01T00:45']],
    ['0 9 * * 1-5', '2026-01-02T09:00Z', ['2026-01-05T09:00', '2026-01-06T09:00']],
    ['0 9 * * mon,FRI', '2026-01-01T00:00Z', ['2026-01-02T09:00', '2026-01-05T09:00']],
    ['0 0 * * 7', '2026-01-01T00:00Z', ['2026-01-04T00:00']],
    ['0 0 13 * 5', '2026-01-01T00:00Z', ['2026-01-02T00:00', '2026-01-09T00:00', '2026-01-13T00:00']],
    ['0 0 */10 * 1', '2026-01-01T00:00Z', ['2026-05-11T00:00']],
    ['30 8-10/2 1 feb *', '2026-01-01T00:00Z', ['2026-02-01T08:30', '2026-02-01T10:30', '2027-02-01T08:30']],
    ['5/20 3 * * *', '2026-01-01T00:00Z', ['2026-01-01T03:05', '2026-01-01T03:25', '2026-01-01T03:45']],
    ['0 0 29 2 *', '2096-03-01T00:00Z', ['2104-02-29T00:00']],
    ['0 0 30 2 *', '2026-01-01T00:00Z', [null]],
  ])('are those that %s names', (text, from, expected) => {
    expect(moments(text, 'UTC', from, expected.length)).toEqual(expected);
  });

  it('are times of the clocks in the zone', () => {
    expect(moments('0 9 * * *', 'Asia/Kolkata', '2026-01-01T00:00Z', 1)).toEqual(['2026-01-01T03:30']);
    expect(moments('0 0 1 1 *', 'America/New_York', '2026-01-01T04:59Z', 1)).toEqual(['2026-01-01T05:00']);
  });
});

describe('when clocks are put forward', () => {
  it('a time that they skip comes an hour later on the clock, on the same day', () => {
    expect(moments('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:30',
      '2026-03-30T00:30',
    ]);
  });

  it('a midnight that they skip is no day without its run', () => {
    expect(moments('0 0 * * *', 'America/Santiago', '2026-09-05T12:00Z', 2)).toEqual([
      '2026-09-06T04:00',
      '2026-09-07T03:00',
    ]);
  });

  it('what runs every half an hour keeps its pace', () => {
    expect(moments('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:15Z', 4)).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T01:00',
      '2026-03-29T01:30',
      '2026-03-29T02:00',
    ]);
  });
});

describe('when clocks are put back', () => {
  it('a time that they show twice comes once', () => {
    expect(moments('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
    expect(moments('30 2 * * *', 'Europe/Berlin', '2026-10-25T00:45Z', 1)).toEqual(['2026-10-26T01:30']);
  });

  it('what runs every hour runs in both of the hours', () => {
    expect(moments('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30Z', 4)).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T01:00',
      '2026-10-25T02:00',
      '2026-10-25T03:00',
    ]);
  });
});

it.each([
  '',
  '* * * *',
  '* * * * * *',
  '@daily',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 8',
  '*/0 * * * *',
  '5-1 * * * *',
  '1-2-3 * * * *',
  '1/2/3 * * * *',
  'L * * * *',
  '-1 * * * *',
  '1, * * * *',
  '1.5 * * * *',
])('refuses %j as a schedule, and says what to write', (text) => {
  expect(() => readCron(text)).toThrow(CronFault);
  expect(() => readCron(text)).toThrow(/Write/);
});
