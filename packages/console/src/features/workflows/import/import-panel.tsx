import { CircleAlert, FileJson, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { classes } from '../../../kit/parts/classes.ts';
import { isTyping } from '../../../kit/parts/typing.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';
import {
  type ReadFile,
  readWorkflowFile,
  readWorkflowText,
} from '../../../lib/workflow-file/read-workflow-file.ts';
import { SaveWorkflow } from './save-workflow.tsx';

/** Takes a workflow by drop, by choice or by paste, and says what came. */
export function ImportPanel() {
  const text = useText('workflows');
  const chooser = useRef<HTMLInputElement>(null);
  const [found, setFound] = useState<ReadFile | null>(null);
  const [isOver, setOver] = useState(false);
  const [isReading, setReading] = useState(false);
  const take = async (file: File | undefined) => {
    setOver(false);
    if (!file) return;
    setReading(true);
    setFound(await readWorkflowFile(file, file.name));
    setReading(false);
  };
  usePaste((pasted) => {
    if (typeof pasted === 'string') setFound(readWorkflowText(pasted, text('import.pasted')));
    else void take(pasted);
  });
  return (
    <section aria-label={text('import.label')} className="flex flex-col gap-2">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a place to drop on; the button in it does the same */}
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          void take(event.dataTransfer.files[0]);
        }}
        className={classes(
          'flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-dashed px-4 py-4',
          isOver ? 'border-accent bg-running-tint' : 'border-control',
        )}
      >
        <FileJson size={24} strokeWidth={1.5} aria-hidden className="shrink-0 text-text-2" />
        <p className="min-w-[14rem] flex-1 text-body text-text-2">{text('import.hint')}</p>
        <Button onClick={() => chooser.current?.click()} disabled={isReading}>
          {text('import.choose')}
        </Button>
        <input
          ref={chooser}
          type="file"
          hidden
          accept=".json,application/json,image/png,image/webp"
          aria-label={text('import.choose')}
          onChange={(event) => {
            void take(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
      </div>
      <div role="status" className="empty:hidden">
        {found && found.kind !== 'graph' ? <FoundFile found={found} onClose={() => setFound(null)} /> : null}
      </div>
      {found?.kind === 'graph' ? (
        <SaveWorkflow key={found.name} found={found} onClose={() => setFound(null)} />
      ) : null}
    </section>
  );
}

/** A paste into a field belongs to the field. */
function usePaste(onPaste: (pasted: string | File) => void): void {
  const current = useRef(onPaste);
  useEffect(() => {
    current.current = onPaste;
  });
  useEffect(() => {
    const listen = (event: ClipboardEvent) => {
      if (isTyping(event.target) || event.clipboardData === null) return;
      const [file] = event.clipboardData.files;
      const text = event.clipboardData.getData('text/plain');
      if (!file && text.trim() === '') return;
      event.preventDefault();
      current.current(file ?? text);
    };
    window.addEventListener('paste', listen);
    return () => window.removeEventListener('paste', listen);
  }, []);
}

/** Says what a file without a graph is, and what to do instead. */
function FoundFile({ found, onClose }: { found: Exclude<ReadFile, { kind: 'graph' }>; onClose: () => void }) {
  const text = useText('workflows');
  return (
    <div className="flex items-start gap-3 rounded-card border border-border bg-surface p-3">
      <CircleAlert size={20} strokeWidth={1.75} aria-hidden className="mt-0.5 shrink-0 text-waiting" />
      <div className="min-w-0 flex-1">
        <p className="text-body font-medium break-words">
          <Sentence found={found} />
        </p>
        <p className="text-body text-text-2">
          {text(found.kind === 'editor' ? 'found.exportApi' : 'found.tryOther')}
        </p>
      </div>
      <IconButton
        label={text('found.close')}
        icon={<X size={16} strokeWidth={1.75} aria-hidden />}
        onClick={onClose}
      />
    </div>
  );
}

function Sentence({ found }: { found: Exclude<ReadFile, { kind: 'graph' }> }) {
  const text = useText('workflows');
  const format = useFormat();
  const { name } = found;
  switch (found.kind) {
    case 'editor':
      return text('found.editor', { name, count: found.nodes });
    case 'too_large':
      return text('found.tooLarge', { name, size: format.bytes(found.sizeBytes) });
    case 'other_json':
      return text('found.otherJson', { name });
    case 'broken_json':
      return text('found.brokenJson', { name });
    default:
      return text(`found.${found.from}`, { name });
  }
}
