import { describe, expect, it } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import { createLogger } from '../../platform/telemetry/logger.ts';
import { FleetJournal, type Occurrence } from './fleet-journal.ts';
import type { InstanceEventRow } from './instance-event-store.ts';

const down: Occurrence = { kind: 'down', instanceId: 'a:1', message: 'It refused the connection.' };

describe('the fleet journal', () => {
  it('writes a log line, a count and a record for each occurrence', async () => {
    const { journal, lines, counted, written } = newJournal();
    journal.note({ ...down, kind: 'lost', task: { id: 't', owner: 'u', attempt: 2 } });
    await journal.settle();
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'warn',
        event: 'lost',
        instanceId: 'a:1',
        taskId: 't',
        attempt: 2,
        reason: 'It refused the connection.',
        msg: 'A task was lost on an instance.',
      }),
    ]);
    expect(counted).toEqual(['a:1 lost']);
    expect(written).toEqual([
      expect.objectContaining({ kind: 'lost', instanceId: 'a:1', taskId: 't', owner: 'u', attempt: 2 }),
    ]);
  });

  it('writes occurrences of about the same time together, a moment later', async () => {
    const { journal, time, written, writes } = newJournal();
    journal.note(down);
    journal.note({ ...down, kind: 'up' });
    expect(written).toEqual([]);
    time.advance(250);
    await journal.settle();
    expect(writes()).toBe(1);
    expect(written.map(({ kind }) => kind)).toEqual(['down', 'up']);
  });

  it('assigns ids that ascend within a millisecond', async () => {
    const { journal, written } = newJournal();
    for (let round = 0; round < 20; round += 1) journal.note(down);
    await journal.settle();
    const ids = written.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
  });

  it('shortens a message that is as long as a list of all models', async () => {
    const { journal, written } = newJournal();
    journal.note({ ...down, message: 'x'.repeat(100_000) });
    await journal.settle();
    expect(written[0]?.message).toHaveLength(500);
  });

  it('keeps a thousand records waiting while the database hangs, counts the others and then continues', async () => {
    const gate = newDeferred();
    const { journal, time, written, unrecorded, counted } = newJournal({ insert: () => gate.promise });
    journal.note(down);
    time.advance(250);
    for (let round = 0; round < 1_500; round += 1) journal.note(down);
    expect(counted).toHaveLength(1_501);
    gate.resolve();
    await journal.settle();
    expect(written).toHaveLength(1_001);
    expect(unrecorded()).toBe(500);
  });

  it('reports a record that could not be written, and writes the next one', async () => {
    let isBroken = true;
    const insert = async (): Promise<void> => {
      if (isBroken) throw new Error('the disk is full');
    };
    const { journal, written, unrecorded, lines } = newJournal({ insert });
    journal.note(down);
    await journal.settle();
    expect(unrecorded()).toBe(1);
    expect(lines.map(({ msg }) => msg)).toContain('events of instances could not be recorded');
    isBroken = false;
    journal.note(down);
    await journal.settle();
    expect(written).toHaveLength(1);
  });

  it('trims the record of an instance once it has grown by two hundred', async () => {
    const { journal, trimmed } = newJournal();
    for (let round = 0; round < 199; round += 1) journal.note(down);
    await journal.settle();
    expect(trimmed).toEqual([]);
    journal.note(down);
    journal.note({ ...down, instanceId: 'b:1' });
    await journal.settle();
    expect(trimmed).toEqual(['a:1']);
  });
});

function newJournal({ insert = async () => undefined }: { insert?: () => Promise<void> } = {}) {
  const time = new ManualTime();
  const written: InstanceEventRow[] = [];
  const counted: string[] = [];
  const trimmed: string[] = [];
  const lines: Record<string, unknown>[] = [];
  let writes = 0;
  let unrecorded = 0;
  const journal = new FleetJournal({
    store: {
      insert: async (rows) => {
        await insert();
        writes += 1;
        written.push(...rows);
      },
      trim: async (instanceId) => {
        trimmed.push(instanceId);
      },
    },
    count: ({ kind, instanceId }) => counted.push(`${instanceId} ${kind}`),
    countUnrecorded: (events) => {
      unrecorded += events;
    },
    clock: time.now,
    timer: time.timer,
    log: createLogger({
      level: 'info',
      format: 'json',
      destination: { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) },
    }),
  });
  return {
    journal,
    time,
    written,
    counted,
    trimmed,
    lines,
    writes: () => writes,
    unrecorded: () => unrecorded,
  };
}
