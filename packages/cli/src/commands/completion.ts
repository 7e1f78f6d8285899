import { Argument, type Command } from 'commander';
import { type CompletedShell, completedShells, completionScript } from '../completion-scripts.ts';
import { describeCommand } from '../help.ts';
import type { Terminal } from '../terminal.ts';

export function addCompletionCommand(program: Command, { stdout }: Terminal): void {
  const command = program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell that reads it').choices([...completedShells]))
    .action((shell: CompletedShell) => void stdout.write(completionScript(shell, program)));
  describeCommand(command, {
    purpose: 'print the script with which a shell completes command lines',
    examples: [
      'source <(switchyard completion bash)                    # in ~/.bashrc',
      'source <(switchyard completion zsh)                     # in ~/.zshrc, after compinit',
      'switchyard completion fish > ~/.config/fish/completions/switchyard.fish',
    ],
    exits: ['ok', 'usage'],
  });
}
