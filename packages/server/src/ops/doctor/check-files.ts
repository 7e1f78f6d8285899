import { createHash } from 'node:crypto';
import type { Config } from '../../config/schema.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { minuteMs } from '../../lib/time-units.ts';
import { s3CallsOptions } from '../blob-stores.ts';
import { type Finding, messageOf, well, wrong } from './finding.ts';

const lookAt = 'switchyard config show --sources   # says where files.s3 is set';
const setClock = 'timedatectl set-ntp true   # on the machine whose clock is wrong';
/** S3 accepts a quarter of an hour; its answers have full seconds. */
const maxAheadMs = minuteMs;
/** Somebody waits for the doctor. */
const limits = { answerMs: 10_000, tries: 2 };

/**
 * Stores, reads and removes a small object, since nothing else shows the rights of the key. Returns nothing for files on a
 * disk.
 */
export async function checkFiles(config: Config, clock: Clock): Promise<Finding[]> {
  if (config.files.store === 'disk') return [];
  const { S3Objects } = await import('../../platform/s3/s3-objects.ts');
  const objects = new S3Objects({ ...s3CallsOptions(config), now: clock, limits });
  const key = `doctor/${newId()}`;
  const body = Buffer.from('The doctor looked here.');
  try {
    const { value: page } = await objects.pages('doctor/').next();
    const theirNowMs = page?.theirNowMs ?? clock();
    await objects.put(key, body, { sha256: createHash('sha256').update(body).digest('hex') });
    const found = await objects.read(key);
    await objects.delete(key);
    if (found !== body.toString())
      return [wrong('files', `${objects.shown} does not give back what was stored there.`, lookAt)];
    const good = well('files', `${objects.shown} takes, gives and removes objects.`);
    return [good, clockFinding(theirNowMs - clock())];
  } catch (error) {
    return [wrong('files', messageOf(error), lookAt)];
  } finally {
    objects.close();
  }
}

function clockFinding(aheadMs: number): Finding {
  if (Math.abs(aheadMs) <= maxAheadMs) return well('clock', 'The clocks of this machine and of S3 agree.');
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const how = aheadMs > 0 ? 'behind' : 'ahead of';
  return wrong('clock', `The clock of this machine is ${seconds} s ${how} that of S3.`, setClock);
}
