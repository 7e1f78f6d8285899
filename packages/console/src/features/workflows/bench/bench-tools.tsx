import type { SavedWorkflowDetail } from '@switchyard/contract/dispatch/workflow';
import { Brush, Download, ImagePlus, ListRestart, type LucideIcon } from 'lucide-react';
import { IconButton } from '../../../kit/button.tsx';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { fileAddress } from '../../../kit/pictures/picture.ts';
import { ResultMenu } from '../../../kit/results/result-menu.tsx';
import { setQuery } from '../../../lib/address.ts';
import { useText } from '../../../lib/i18n.ts';
import { saveAddress } from '../../../lib/save-file.ts';
import type { Output } from './results.ts';

export interface BenchTool {
  name: 'star' | 'unstar' | 'delete' | 'compare' | 'zoom' | 'fit' | 'full' | 'leaveFull';
  Icon: LucideIcon;
  isOff: boolean;
  isFilled?: boolean;
  run: () => void;
}

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** The actions on the shown result. Each of them has a key as well, or stands in the menu. */
export function BenchTools({
  tools,
  output,
  takes,
}: {
  tools: readonly BenchTool[];
  output: Output | null;
  takes: Takes;
}) {
  const text = useText('workflows');
  return (
    <div role="toolbar" aria-label={text('bench.tools')} className="flex shrink-0 items-center gap-1">
      {tools.map((tool) => (
        <Tool key={tool.name} tool={tool} command={output && commandOf(tool.name, output)} />
      ))}
      {output === null ? null : <OwnResultMenu file={output} takes={takes} />}
    </div>
  );
}

/** What the fields of the open workflow can take of a result. */
export interface Takes {
  file: boolean;
  mask: boolean;
}

export function takesOf({ parameters }: SavedWorkflowDetail): Takes {
  const shown = parameters.filter(({ hidden }) => !hidden);
  return {
    file: shown.some(({ type }) => type === 'file'),
    mask: shown.some(({ mask }) => mask !== undefined),
  };
}

/** Where a result can go on; first what the form beside it can do with it. */
export function OwnResultMenu({ file, takes }: { file: Output; takes: Takes }) {
  const text = useText('workflows');
  const { fileId, filename } = file;
  return (
    <ResultMenu
      file={file}
      before={[
        {
          label: text('bench.again'),
          icon: <ListRestart {...icon} />,
          onSelect: () => setQuery({ from: fileId }),
        },
        {
          label: text('bench.useHere'),
          icon: <ImagePlus {...icon} />,
          onSelect: () => setQuery({ file: fileId }),
          disabled: !takes.file,
        },
        {
          label: text('bench.paintHere'),
          icon: <Brush {...icon} />,
          onSelect: () => setQuery({ file: fileId, paint: fileId }),
          disabled: !takes.mask,
        },
        {
          label: text('bench.download'),
          icon: <Download {...icon} />,
          onSelect: () => saveAddress(fileAddress(file), filename),
        },
      ]}
    />
  );
}

function Tool({ tool, command }: { tool: BenchTool; command: string | null | undefined }) {
  const text = useText('workflows');
  const hint = useCommandHint(command ?? undefined);
  const { name, Icon, isOff, isFilled, run } = tool;
  return (
    <IconButton
      {...hint}
      label={text(`bench.${name}`)}
      disabled={isOff}
      icon={<Icon size={18} strokeWidth={1.75} fill={isFilled ? 'currentColor' : 'none'} aria-hidden />}
      onClick={run}
    />
  );
}

/** What only changes the page has no command. */
function commandOf(name: BenchTool['name'], { fileId }: Output): string | undefined {
  if (name !== 'star' && name !== 'unstar' && name !== 'delete') return undefined;
  return `switchyard files ${name} ${fileId}`;
}
