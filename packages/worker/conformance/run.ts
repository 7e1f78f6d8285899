import { parseArgs } from 'node:util';
import { checkFact } from './check-fact.ts';
import { facts } from './facts.ts';
import { Subject } from './subject.ts';

/**
 *     tsx packages/worker/conformance/run.ts --url http://127.0.0.1:8188 [--only words]
 *
 * Runs the facts one after the other against any server. It should be idle: some facts clear its queue and its history.
 */
const { values } = parseArgs({ options: { url: { type: 'string' }, only: { type: 'string', default: '' } } });
if (values.url === undefined) {
  process.stderr.write('Say which server: --url http://127.0.0.1:8188\n');
  process.exit(2);
}

const subject = new Subject({ url: values.url });
const counts = { ok: 0, FAIL: 0, skip: 0 };
for (const fact of facts.filter(({ section, says }) => `${section}: ${says}`.includes(values.only))) {
  const { verdict, reason } = await judge();
  counts[verdict] += 1;
  process.stdout.write(
    `${verdict.padEnd(5)} ${fact.section}: ${fact.says}${reason && `\n      ${reason}`}\n`,
  );

  async function judge(): Promise<{ verdict: keyof typeof counts; reason: string }> {
    try {
      const skipped = await checkFact(fact, subject);
      return { verdict: skipped === undefined ? 'ok' : 'skip', reason: skipped ?? '' };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { verdict: 'FAIL', reason: text.trim().replaceAll('\n', '\n      ') };
    }
  }
}
process.stdout.write(`${counts.ok} ok, ${counts.FAIL} failed, ${counts.skip} skipped\n`);
process.exitCode = counts.FAIL === 0 ? 0 : 1;
