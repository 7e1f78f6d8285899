import type { Command } from 'commander';

interface SwitchCommands<Options> {
  /** The argument of the commands, such as `<name>`. */
  argument: string;
  /** An argument for the example in the help. */
  example: string;
  purposes: Record<'enable' | 'disable', string>;
  describe: (command: Command, text: { purpose: string; examples: string[] }) => void;
  act: (argument: string, enabled: boolean, options: Options) => Promise<void>;
}

/** Adds `enable` and `disable`. */
export function addSwitchCommands<Options>(
  parent: Command,
  { argument, example, purposes, describe, act }: SwitchCommands<Options>,
): void {
  for (const name of ['enable', 'disable'] as const) {
    const command = parent
      .command(`${name} ${argument}`)
      .action((given: string, options: Options) => act(given, name === 'enable', options));
    const examples = [`switchyard ${parent.name()} ${name} ${example}`];
    describe(command, { purpose: purposes[name], examples });
  }
}
