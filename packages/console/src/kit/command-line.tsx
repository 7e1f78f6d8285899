import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useText } from '../lib/i18n.ts';
import { IconButton } from './button.tsx';
import { useCopy } from './copy/use-copy.tsx';

const confirmationMs = 2_000;

/** A command that a person can copy into a terminal. */
export function CommandLine({ command }: { command: string }) {
  const text = useText('kit');
  const { copy, dialog } = useCopy();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), confirmationMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const Icon = copied ? Check : Copy;
  return (
    <div className="flex max-w-full min-w-0 items-start gap-1 rounded-control border border-border bg-sunken py-0.5 pr-0.5 pl-3">
      <pre
        className="min-w-0 flex-1 overflow-x-auto py-1.5 font-mono text-table whitespace-pre-wrap wrap-anywhere"
        data-command
      >
        {command}
      </pre>
      <IconButton
        label={copied ? text('command.copied') : text('command.copy')}
        icon={<Icon size={16} strokeWidth={1.75} aria-hidden />}
        onClick={async () => setCopied(await copy(command))}
      />
      <span role="status" className="sr-only">
        {copied ? text('command.copied') : ''}
      </span>
      {dialog}
    </div>
  );
}
