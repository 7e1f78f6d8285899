import { Paperclip, SendHorizontal, Square, X } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, type RefObject, useRef } from 'react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { useDrop } from '../../../kit/use-drop.ts';
import { useText } from '../../../lib/i18n.ts';
import type { Draft } from '../model/draft-store.ts';
import { AgentMenu, type AgentMenuProps } from './agent-menu.tsx';

export interface ComposerProps extends AgentMenuProps {
  label: string;
  field?: RefObject<HTMLTextAreaElement | null> | undefined;
  draft: Draft;
  onDraft: (change: Partial<Draft>) => void;
  onSend: () => void;
  onFiles: (files: File[]) => void;
  /** Takes up the last message for another try; null when there is none. */
  onEditLast: (() => void) | null;
  /** Null when no run is at work. */
  onStop: (() => void) | null;
  /** The run that would be stopped. */
  stopped?: { threadId: string; runId: string } | undefined;
  isSending: boolean;
  /** Names of files that are on their way. */
  uploading: readonly string[];
}

/** The field for a message: Enter sends, Shift and Enter begin a line, files are dropped or pasted. */
export function Composer(props: ComposerProps) {
  const { label, field, draft, onDraft, onSend, onFiles, onEditLast, onStop, stopped, isSending, uploading } =
    props;
  const text = useText('chat');
  const stopHint = useCommandHint(stopped && `switchyard runs cancel ${stopped.threadId} ${stopped.runId}`);
  const picker = useRef<HTMLInputElement>(null);
  const canSend = draft.text.trim() !== '' && !isSending && uploading.length === 0;

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // An input method that composes characters uses Enter for itself.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      if (canSend) onSend();
    }
    if (event.key === 'ArrowUp' && draft.text === '' && onEditLast) {
      event.preventDefault();
      onEditLast();
    }
    if (event.key === 'Escape' && onStop) stopAlone(event, onStop);
  };
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    take(event.clipboardData.files);
  };
  const take = (files: FileList) => {
    if (files.length > 0) onFiles([...files]);
  };
  const { isOver, place } = useDrop(take);

  return (
    <form
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) onSend();
      }}
      {...place}
      className={`flex flex-col gap-2 rounded-card border bg-surface p-2 focus-within:border-accent ${isOver ? 'border-accent bg-running-tint' : 'border-control'}`}
    >
      <Files draft={draft} uploading={uploading} onDraft={onDraft} />
      <textarea
        ref={field}
        aria-label={text('composer.message')}
        placeholder={text(isOver ? 'composer.drop' : 'composer.placeholder')}
        value={draft.text}
        rows={2}
        onChange={(event) => onDraft({ text: event.target.value })}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        className="field-sizing-content max-h-64 w-full resize-none bg-transparent px-1 text-lead text-text outline-none placeholder:text-text-3"
      />
      <div className="flex items-center gap-1">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            if (event.target.files) take(event.target.files);
            event.target.value = '';
          }}
        />
        <IconButton
          label={text('composer.attach')}
          icon={<Paperclip size={16} strokeWidth={1.75} aria-hidden />}
          onClick={() => picker.current?.click()}
        />
        <AgentMenu {...props} />
        <span className="ml-auto" />
        {onStop ? (
          <Button {...stopHint} onClick={onStop} icon={<Square size={16} strokeWidth={1.75} aria-hidden />}>
            {text('composer.stop')}
          </Button>
        ) : null}
        <Button
          type="submit"
          variant="solid"
          disabled={!canSend}
          icon={<SendHorizontal size={16} strokeWidth={1.75} aria-hidden />}
        >
          {text(onStop ? 'composer.queue' : 'composer.send')}
        </Button>
      </div>
    </form>
  );
}

/** Stops the run; a panel around the field stays open. */
function stopAlone(event: KeyboardEvent, onStop: () => void): void {
  event.stopPropagation();
  onStop();
}

function Files({ draft, uploading, onDraft }: Pick<ComposerProps, 'draft' | 'uploading' | 'onDraft'>) {
  const text = useText('chat');
  if (draft.files.length + uploading.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2 text-table">
      {draft.files.map((name) => (
        <li key={name} className="flex max-w-64 items-center gap-1 rounded-control bg-sunken pl-2">
          <span className="truncate">{name}</span>
          <IconButton
            label={text('composer.leaveOut', { name })}
            icon={<X size={16} strokeWidth={1.75} aria-hidden />}
            onClick={() => onDraft({ files: draft.files.filter((file) => file !== name) })}
          />
        </li>
      ))}
      {uploading.map((name) => (
        <li
          key={`uploading ${name}`}
          className="flex h-8 max-w-64 items-center rounded-control bg-sunken px-2 text-text-2"
        >
          <span className="truncate">{text('composer.uploading', { name })}</span>
        </li>
      ))}
    </ul>
  );
}
