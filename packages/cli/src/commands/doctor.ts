import { type Flags, loadConfig } from '@switchyard/server/config/load';
import { systemClock } from '@switchyard/server/lib/clock';
import type { Finding } from '@switchyard/server/ops/doctor/finding';
import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { addHomeOptions } from '../gateway-home.ts';
import { describeCommand } from '../help.ts';
import { addOutputOption, type OutputOptions, printJson } from '../output.ts';
import { plainText } from '../plain-text.ts';
import { colorsFor, type Terminal } from '../terminal.ts';
import { gatewayHelp, lastPortFor } from './up.ts';

interface DoctorFlags extends Flags, OutputOptions {
  json?: true;
}

export function addDoctorCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('doctor')
    .option('--host <address>', 'address that the gateway listens on')
    .option('--port <port>', 'port that the gateway listens on');
  addHomeOptions(command)
    .option('--json', 'the same as -o json')
    .action((options: DoctorFlags) => doctor(options, terminal));
  addOutputOption(command);
  describeCommand(command, {
    purpose: 'look at everything that the gateway needs, and say what to type where something is wrong',
    examples: [
      'switchyard doctor',
      'switchyard doctor --config /etc/switchyard/switchyard.yaml --home /var/lib/switchyard',
      'switchyard doctor -o json',
    ],
    environment: gatewayHelp.environment,
    exits: ['ok', 'usage', 'unwell'],
  });
}

async function doctor({ output, json, ...flags }: DoctorFlags, terminal: Terminal): Promise<void> {
  const { env, cwd } = terminal;
  const { examineGateway } = await import('@switchyard/server/ops/doctor/doctor');
  const load = () => loadConfig({ flags, env, cwd });
  const findings = await examineGateway({ load, env, cwd, lastPortFor, clock: systemClock });
  const count = findings.filter(({ ok }) => !ok).length;
  if (json || output === 'json') printJson(terminal, { ok: count === 0, findings });
  else for (const finding of findings) terminal.stdout.write(linesOf(finding, terminal));
  if (count === 0) return;
  const noun = count === 1 ? 'thing is' : 'things are';
  throw new CommandError(
    'unwell',
    `${count} ${noun} wrong. Type what stands behind each, and run the doctor again.`,
  );
}

const width = 'configuration'.length;

function linesOf({ subject, ok, says, remedy }: Finding, { stdout, env }: Terminal): string {
  const colors = colorsFor(stdout, env);
  const mark = ok ? colors.green('ok   ') : colors.red('wrong');
  const line = `${mark}  ${subject.padEnd(width)}  ${plainText(says)}\n`;
  if (remedy === null) return line;
  return `${line}${' '.repeat(width + 9)}type: ${plainText(remedy)}\n`;
}
